-- Each foreign key is a look-up per imported row, and together they took half of the time of storing. The importers write
-- passages and texts in one transaction with their work, and `sources check` finds rows without one.
ALTER TABLE "passage_texts" DROP CONSTRAINT "passage_texts_passage_id_passages_id_fk";--> statement-breakpoint
ALTER TABLE "passage_texts" DROP CONSTRAINT "passage_texts_version_id_versions_id_fk";--> statement-breakpoint
ALTER TABLE "passages" DROP CONSTRAINT "passages_work_id_works_id_fk";--> statement-breakpoint
CREATE FUNCTION delete_with_works() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM passages p USING gone WHERE p.work_id = gone.id;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION delete_with_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM passage_texts t USING gone WHERE t.version_id = gone.id;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION delete_with_passages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM passage_texts t USING gone WHERE t.passage_id = gone.id;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER works_leave_nothing AFTER DELETE ON works
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_with_works();--> statement-breakpoint
CREATE TRIGGER versions_leave_nothing AFTER DELETE ON versions
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_with_versions();--> statement-breakpoint
CREATE TRIGGER passages_leave_nothing AFTER DELETE ON passages
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_with_passages();
