CREATE TABLE "embedding_models" (
	"id" serial PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"dims" integer NOT NULL,
	"revision" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "embedding_models_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "passage_vectors" (
	"doc_id" integer PRIMARY KEY NOT NULL,
	"model_id" integer NOT NULL,
	"scale" real NOT NULL,
	"components" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "passage_vectors" ADD CONSTRAINT "passage_vectors_doc_id_passage_texts_doc_id_fk" FOREIGN KEY ("doc_id") REFERENCES "public"."passage_texts"("doc_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passage_vectors" ADD CONSTRAINT "passage_vectors_model_id_embedding_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."embedding_models"("id") ON DELETE cascade ON UPDATE no action;