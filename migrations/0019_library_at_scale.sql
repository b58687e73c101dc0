-- A search counts the documents of each term in each block. With the counts in the index it reads no row for that.
CREATE UNIQUE INDEX "search_postings_counts" ON "search_postings" USING btree ("term","block") INCLUDE ("documents");--> statement-breakpoint
ALTER TABLE "search_postings" DROP CONSTRAINT "search_postings_term_block_pk";--> statement-breakpoint
ALTER TABLE "search_postings" ADD CONSTRAINT "search_postings_term_block_pk" PRIMARY KEY USING INDEX "search_postings_counts";--> statement-breakpoint
-- Rows need a look into the table until they are vacuumed. The default would leave a fifth of them.
ALTER TABLE "search_postings" SET (autovacuum_vacuum_insert_scale_factor = 0.05);--> statement-breakpoint
CREATE INDEX "headings_first_word" ON "headings" USING btree (split_part("key", ' ', 1));
