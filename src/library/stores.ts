/** The stores that a program names or opens. */
import { z } from 'zod'
import { checkFields } from '../../base/errors/check-fields.js'
import { PipelineError } from '../../base/errors/errors.js'
import { openStore as openStoreAt, type Access, type LockListener } from '../../cache/open.js'
import { processEnvironment } from '../config/variables.js'
import { surroundings } from '../config/eval-settings.js'
import { withExplainedErrors, withOpenStoreAt } from '../evaluation/with-store.js'
import type { OpenedStore } from './options/evaluate-options.js'

/** A store as options give it. */
export type GivenStore = string | OpenedStore | Promise<OpenedStore> | undefined

/**
 * Opens the store in a folder, or at the address of a server, and creates it if it does not exist.
 *
 * @param dir @default `$PIPELINE_STORE`, or else `./.pipeline`
 * @param options `access: 'read'` never changes the store, and works on read-only media
 * @throws PipelineError (store) if the store cannot be used, with the reason and what to do
 */
export async function openStore(
  dir?: string,
  options: { readonly access?: 'write' | 'read' } = {},
): Promise<OpenedStore> {
  checkFields(options, { access: z.enum(['write', 'read']).optional() })
  return openStoreAt(dir ?? defaultStore(), options)
}

const defaultStore = (): string => surroundings({}, {}, processEnvironment()).store

/** The folder of a store. @throws PipelineError (usage) if the object given is no store. */
export function resolveStoreDir(store: string | OpenedStore | undefined): string {
  if (store === undefined) return defaultStore()
  const dir: unknown = typeof store === 'string' ? store : store.location
  if (typeof dir === 'string') return dir
  throw new PipelineError('usage', 'options.store: expected a folder, or what openStore opened, given another object')
}

/**
 * Runs `work` on a store. An open store stays open. A folder is opened and closed.
 *
 * @param options.access the access to a folder. @default 'write'
 * @throws the error of `work`; errors of the database explain what happened to the store
 */
export async function withGivenStore<Result>(
  store: string | OpenedStore | undefined,
  options: { readonly access?: Access; readonly waiting: LockListener },
  work: (store: OpenedStore) => Promise<Result>,
): Promise<Result> {
  if (store === undefined || typeof store === 'string') return withOpenStoreAt(resolveStoreDir(store), options, work)
  return withExplainedErrors(store, work)
}
