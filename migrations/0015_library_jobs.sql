CREATE TABLE "library_jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"collection" text NOT NULL,
	"allow_licenses" text[] DEFAULT '{}' NOT NULL,
	"run_by" text NOT NULL,
	"status" text NOT NULL,
	"requested_by" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (6) with time zone,
	"finished_at" timestamp (6) with time zone,
	"cancel_requested_at" timestamp (6) with time zone,
	"lease_owner" text,
	"lease_expires_at" timestamp (6) with time zone,
	"epoch" integer DEFAULT 0 NOT NULL,
	"progress" jsonb,
	"report" jsonb,
	"error" text
);
--> statement-breakpoint
CREATE UNIQUE INDEX "library_jobs_running" ON "library_jobs" USING btree ("status") WHERE "library_jobs"."status" = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX "library_jobs_unfinished" ON "library_jobs" USING btree ("collection") WHERE "library_jobs"."status" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "library_jobs_collection" ON "library_jobs" USING btree ("collection","created_at");