/** A plan, as `PLANS_FILE` has it, whose bounds no load meets; all else is as in any plan. */
export const widePlan = {
  api_access: true,
  monthly_credits: 1_000_000_000,
  requests_per_minute: 100_000_000,
  turns_per_minute: 100_000_000,
  concurrent_turns: 100_000,
  queued_turns: 4,
  stored_megabytes: 1_000_000,
  file_megabytes: 64,
} as const
