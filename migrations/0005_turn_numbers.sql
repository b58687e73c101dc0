ALTER TABLE "messages" DROP CONSTRAINT "messages_account_id_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "account_turn" integer;