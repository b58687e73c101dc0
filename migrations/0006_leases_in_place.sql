CREATE INDEX "runs_unfinished_since" ON "runs" USING btree ("created_at","id") WHERE "runs"."status" in ('queued', 'in_progress');--> statement-breakpoint
-- Room on each page for the next version of a row that is renewed or goes on: it then stays where it is.
ALTER TABLE "runs" SET (fillfactor = 80);--> statement-breakpoint
-- Last: it keeps readers away as well, for a moment now.
DROP INDEX "runs_unfinished";
