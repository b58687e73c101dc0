CREATE TABLE "search_associations" (
	"term" text NOT NULL,
	"other" text NOT NULL,
	"strength" integer NOT NULL,
	CONSTRAINT "search_associations_term_other_pk" PRIMARY KEY("term","other")
);
