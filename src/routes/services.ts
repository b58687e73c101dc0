export type { Services } from '../turns/services.ts'
