ALTER TABLE "accounts" ADD COLUMN "turn_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "account_turn" integer;