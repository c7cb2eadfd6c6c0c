import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '../../cache/digest.js'
import { FileMediaStore } from '../../cache/media/file-media-store.js'

/** Opens a temporary media store for scoring code during a trial. Disposing removes it. */
export async function openTrialMedia(): Promise<AsyncDisposable & { readonly media: FileMediaStore }> {
  const folder = await mkdtemp(join(tmpdir(), 'pipeline-trial-'))
  const computeFileDigest = async (path: string) => sha256<'file'>(await readFile(path))
  return {
    media: new FileMediaStore(folder, computeFileDigest, error => error),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
