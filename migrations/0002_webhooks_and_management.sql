CREATE TABLE "management_requests" (
	"account_id" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"reply" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "management_requests_account_id_key_pk" PRIMARY KEY("account_id","key")
);
--> statement-breakpoint
CREATE TABLE "budgets" (
	"account_id" text NOT NULL,
	"project_id" text DEFAULT '' NOT NULL,
	"period" text NOT NULL,
	"micros" bigint NOT NULL,
	CONSTRAINT "budgets_account_id_project_id_period_pk" PRIMARY KEY("account_id","project_id","period"),
	CONSTRAINT "budgets_micros" CHECK ("budgets"."micros" > 0)
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"endpoint_id" text NOT NULL,
	"account_id" text NOT NULL,
	"event" text NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"body" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (6) with time zone,
	"delivered_at" timestamp (6) with time zone,
	"status" integer,
	"error" text,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"project_id" text,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"disabled" boolean DEFAULT false NOT NULL,
	"secret_version" integer DEFAULT 1 NOT NULL,
	"pepper_version" integer NOT NULL,
	"both_until" timestamp (6) with time zone,
	"last_pepper_version" integer,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_webhook_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."webhook_endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "management_requests_created" ON "management_requests" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("due_at") WHERE "webhook_deliveries"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("endpoint_id","subject","id") WHERE "webhook_deliveries"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_endpoint" ON "webhook_deliveries" USING btree ("endpoint_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_account" ON "webhook_endpoints" USING btree ("account_id");
--> statement-breakpoint
DO $$
DECLARE
  guarded text;
BEGIN
  FOREACH guarded IN ARRAY ARRAY['budgets', 'management_requests', 'webhook_deliveries', 'webhook_endpoints'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
    EXECUTE format(
      'CREATE POLICY tenant ON %I USING ('
      'account_id = current_setting(''app.account'', true) OR current_setting(''app.account'', true) = ''*'')', guarded);
  END LOOP;
END $$;
--> statement-breakpoint
-- Writes an event for every endpoint of the account that wants it. Call it in the transaction of the event.
CREATE FUNCTION send_webhook(p_account text, p_project text, p_type text, p_subject text, p_data jsonb) RETURNS void
LANGUAGE sql AS $$
  WITH event AS MATERIALIZED (
    SELECT 'evt_' || replace(gen_random_uuid()::text, '-', '') AS id,
      jsonb_build_object('type', p_type, 'timestamp', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'data', p_data)::text AS body)
  INSERT INTO webhook_deliveries (endpoint_id, account_id, event, type, subject, body, due_at)
  SELECT e.id, e.account_id, event.id, p_type, p_subject, event.body, now()
  FROM event, webhook_endpoints e
  WHERE e.account_id = p_account AND NOT e.disabled AND p_type = ANY (e.events)
    AND (e.project_id IS NULL OR e.project_id = p_project)
$$;
--> statement-breakpoint
-- However a run ends, its transaction writes the event.
CREATE FUNCTION send_run_webhook() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM webhook_endpoints e WHERE e.account_id = NEW.account_id) THEN
    PERFORM send_webhook(NEW.account_id, NEW.project_id, 'run.' || NEW.status, NEW.id, jsonb_build_object(
      'id', NEW.id, 'object', 'agent.run', 'status', NEW.status, 'session_id', NEW.session_id, 'project_id', NEW.project_id,
      'message_id', NEW.message_id, 'key_id', NEW.api_key_id, 'model', NEW.model, 'finish_reason', NEW.finish_reason,
      'error', NEW.reply->>'message', 'cost_micros', NEW.reply#>>'{end,usage,cost_micros}',
      'created_at', floor(extract(epoch FROM NEW.created_at))::bigint,
      'finished_at', floor(extract(epoch FROM NEW.finished_at))::bigint));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER runs_webhook AFTER UPDATE OF status ON runs FOR EACH ROW
  WHEN (OLD.status IN ('queued', 'in_progress') AND NEW.status IN ('completed', 'failed', 'cancelled'))
  EXECUTE FUNCTION send_run_webhook();
