ALTER TABLE "works" ADD COLUMN "composed_from" integer;--> statement-breakpoint
ALTER TABLE "works" ADD COLUMN "composed_to" integer;