CREATE TABLE "key_peppers" (
	"version" integer PRIMARY KEY NOT NULL,
	"check" "bytea" NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
