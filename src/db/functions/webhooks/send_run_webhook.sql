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
