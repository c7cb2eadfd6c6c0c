import type { LockListener } from '../cache/open.js'
import type { Hooks } from './evaluation/settings.js'

/** Who is told where another process keeps the store locked, and may end the wait. */
export const waitingBy = ({ emit, drain, stop }: Hooks): LockListener => ({
  tell: text => {
    emit({ type: 'note', text })
  },
  drain,
  stop,
})
