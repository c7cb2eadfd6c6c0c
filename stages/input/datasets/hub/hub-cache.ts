import { haveSameSize, publishOnce } from '../../../../base/files/publish-once.js'
import { writeWhole } from '../../../../base/files/write-whole.js'
import { randomUUID } from 'node:crypto'
import { copyFile, link, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../../../cache/make-folder.js'
import { z } from 'zod'
import { systemCode } from '../../../../base/errors/errors.js'
import { blobName, repositoryFile, type RepositoryFile } from '../layout/safe-paths.js'

/**
 * The local files of one repository: `refs/<revision>` (the last known commit of a name), `<commit>/tree.json` (its
 * file list), `<commit>/files/…` (the downloaded files) and `blobs/` (their bytes, shared by all commits).
 */
export interface HubCache {
  /** Returns the commit that a branch or tag had when it was last looked up. */
  commitOf(revision: string): Promise<string | undefined>
  keepCommit(revision: string, commit: string): Promise<void>
  /** Returns the file list of a commit, if it was fetched before. */
  listed(commit: string): Promise<readonly RepositoryFile[] | undefined>
  keepList(commit: string, files: readonly RepositoryFile[]): Promise<void>
  folder(commit: string): string
  /** Returns where a file's bytes are kept. */
  blob(file: RepositoryFile): string
  /** Returns the path of a file, if its bytes are downloaded. */
  place(commit: string, file: RepositoryFile): Promise<string | undefined>
}

const listing = z.array(repositoryFile)

export function openHubCache(dir: string, repo: string): HubCache {
  const root = join(dir, `datasets--${repo.replaceAll('/', '--')}`)
  const refFile = (revision: string): string => join(root, 'refs', encodeURIComponent(revision))
  const treeFile = (commit: string): string => join(root, commit, 'tree.json')
  const blob = (file: RepositoryFile): string => join(root, 'blobs', blobName(file))
  const folder = (commit: string): string => join(root, commit, 'files')
  return {
    commitOf: async revision => (await textIn(refFile(revision)))?.trim(),
    keepCommit: (revision, commit) => writeBelow(refFile(revision), `${commit}\n`),
    async listed(commit) {
      const text = await textIn(treeFile(commit))
      // A truncated list is requested again.
      return text === undefined ? undefined : readList(text)
    },
    keepList: (commit, files) => writeBelow(treeFile(commit), JSON.stringify(files)),
    folder,
    blob,
    async place(commit, file) {
      const placed = join(folder(commit), file.path)
      if ((await sizeAt(placed)) === file.size) return placed
      if ((await sizeAt(blob(file))) !== file.size) return undefined
      await put(blob(file), placed)
      return placed
    },
  }
}

function readList(text: string): readonly RepositoryFile[] | undefined {
  try {
    return listing.safeParse(JSON.parse(text)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Makes a hard link, or a copy where the file system has none. */
async function put(from: string, to: string): Promise<void> {
  makeFolder(dirname(to))
  const temporary = `${to}.${randomUUID()}.tmp`
  await link(from, temporary).catch((error: unknown) => {
    if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|EXDEV|EMLINK|ENOSYS)$/.test(systemCode(error) ?? '')) throw error
    return copyFile(from, temporary)
  })
  // Another process may read the file that it placed meanwhile.
  await publishOnce(temporary, to, haveSameSize)
}

async function writeBelow(path: string, text: string): Promise<void> {
  makeFolder(dirname(path))
  await writeWhole(path, text)
}

async function textIn(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

const sizeAt = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined
      throw error
    },
  )
