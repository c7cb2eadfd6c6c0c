import { join } from 'node:path'
import type { Store } from '../../cache/store.js'
import { realClock } from '../clock.js'

/** Where a program that serves a model leaves what it says: `logs/vllm-2026-01-31T12-00-00-000Z-4711.log` in the store's folder. */
export function engineLog(store: Pick<Store, 'dir'>, name: string): string {
  const now = new Date(realClock.wallNow()).toISOString().replace(/[:.]/g, '-')
  return join(store.dir, 'logs', `${name}-${now}-${process.pid}.log`)
}
