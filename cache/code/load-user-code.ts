import { writeWhole } from '../../base/files/write-whole.js'
import { AsyncLocalStorage } from 'node:async_hooks'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PipelineError, systemCode } from '../../base/errors/errors.js'
import { callWatched } from '../../base/time/time-limit.js'
import { shownPath } from '../../base/files/shown-path.js'
import { sha256 } from '../digest.js'
import { bundleCode, linkCode, type BundledCode } from './bundle-code.js'
import { projectRoot } from './project-root.js'
import { loadingReason } from './thrown-position.js'
import { makeFolder } from '../make-folder.js'

export interface UserCode extends BundledCode {
  readonly module: Readonly<Record<string, unknown>>
}

/**
 * Runs a user's file. It may import files beside it, packages, and this package by its name.
 *
 * The compiled file is written to `cacheDir`, under the name of its digest.
 *
 * @throws PipelineError with file:line:column if the file does not compile, and with the error's message if it throws
 */
export async function loadUserCode(file: string, options: { readonly cacheDir: string }): Promise<UserCode> {
  const bundled = await bundleCode(file)
  const text = await linkCode(bundled.source, dirname(resolve(file)))
  return { ...bundled, module: await importText(text, options.cacheDir, shownPath(file)) }
}

/** Runs code that was bundled before. `name` appears in messages. */
export async function loadBundledCode(
  source: string,
  options: { readonly cacheDir: string; readonly name: string },
): Promise<Readonly<Record<string, unknown>>> {
  return importText(await linkCode(source, projectRoot), options.cacheDir, options.name)
}

/** The symbol is shared by all copies of this package in the process, because loaded code imports the installed copy. */
const loadingKey = Symbol.for('pipeline.loading')
const shared = globalThis as unknown as Record<symbol, AsyncLocalStorage<string> | undefined>
const loading = (shared[loadingKey] ??= new AsyncLocalStorage<string>())

/** The name of the user's file that is being loaded, or undefined if none is. */
export const fileBeingLoaded = (): string | undefined => loading.getStore()

async function importText(text: string, cacheDir: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  const file = join(resolve(cacheDir), `${sha256(text).slice('sha256:'.length)}.mjs`)
  if (!(await holds(file, text))) {
    makeFolder(dirname(file))
    await writeWhole(file, text)
  }
  try {
    return await callWatched(`loading ${name}`, () =>
      loading.run(name, () => import(pathToFileURL(file).href) as Promise<Readonly<Record<string, unknown>>>),
    )
  } catch (error) {
    throw new PipelineError('config', `${name} can't be loaded: ${loadingReason(error)}`, { cause: error })
  }
}

async function holds(file: string, text: string): Promise<boolean> {
  try {
    return (await readFile(file, 'utf8')) === text
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}
