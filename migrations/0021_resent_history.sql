ALTER TABLE "messages" ADD COLUMN "transcript" "bytea";--> statement-breakpoint
CREATE INDEX "messages_transcript" ON "messages" USING btree ("transcript","created_at") WHERE "messages"."transcript" is not null;
