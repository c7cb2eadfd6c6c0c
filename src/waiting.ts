import type { Waiting } from '../cache/open.js'
import type { Hooks } from './evaluation/settings.js'

/** Who is told where another process keeps the store locked, and may end the wait. */
export const waitingBy = ({ emit, drain, stop }: Hooks): Waiting => ({
  tell: text => {
    emit({ type: 'note', text })
  },
  drain,
  stop,
})
