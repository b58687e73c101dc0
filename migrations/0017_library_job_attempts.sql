ALTER TABLE "library_jobs" ADD COLUMN "failed_attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "library_jobs" ADD COLUMN "works_done" integer DEFAULT 0 NOT NULL;