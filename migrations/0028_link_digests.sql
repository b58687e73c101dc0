-- The tokens of public links, which give access, leave the database. Links that exist keep their tokens and work on.
ALTER TABLE "shared_sessions" ADD COLUMN "token_digest" "bytea";--> statement-breakpoint
ALTER TABLE "shared_sessions" ADD COLUMN "token_seed" "bytea";--> statement-breakpoint
ALTER TABLE "source_sheets" ADD COLUMN "link_digest" "bytea";--> statement-breakpoint
ALTER TABLE "source_sheets" ADD COLUMN "link_seed" "bytea";--> statement-breakpoint
UPDATE shared_sessions SET token_digest = sha256(convert_to(token, 'UTF8'));--> statement-breakpoint
UPDATE source_sheets SET link_digest = sha256(convert_to(public_token, 'UTF8')) WHERE public_token IS NOT NULL;--> statement-breakpoint
ALTER TABLE "shared_sessions" ALTER COLUMN "token_digest" SET NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "source_sheets_link" ON "source_sheets" USING btree ("link_digest");--> statement-breakpoint
ALTER TABLE "shared_sessions" ADD CONSTRAINT "shared_sessions_token_digest_unique" UNIQUE("token_digest");--> statement-breakpoint
ALTER TABLE "shared_sessions" DROP CONSTRAINT "shared_sessions_token_unique";--> statement-breakpoint
DROP INDEX "source_sheets_public";--> statement-breakpoint
ALTER TABLE "shared_sessions" DROP COLUMN "token";--> statement-breakpoint
ALTER TABLE "source_sheets" DROP COLUMN "public_token";--> statement-breakpoint
-- A branch in place of the first question of another branch stands beside it, see `recordBranch`.
DO $$
BEGIN
  LOOP
    UPDATE session_branches b SET parent_id = p.parent_id, parent_turn = p.parent_turn
    FROM session_branches p WHERE p.session_id = b.parent_id AND b.parent_turn = 1;
    EXIT WHEN NOT FOUND;
  END LOOP;
END $$;
