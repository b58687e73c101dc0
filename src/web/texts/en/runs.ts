/** `/runs/{id}`: the details of one turn. */
export const runs = {
  states: {
    queued: 'queued',
    in_progress: 'in progress',
    completed: 'completed',
    failed: 'failed',
    cancelled: 'stopped',
  },
}
