import type { Readable } from 'node:stream'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { messageOf } from '../../../../base/errors.js'
import { DatasetProblem } from '../layout/dataset-problem.js'
import { JoinedReader, lengthOf, stretchOf } from './joined-reader.js'
import { asOneZip } from './split-zip.js'
import type { Unpacking } from './unpacked-folder.js'

/**
 * Unpacks a ZIP file, out of one file or of its pieces.
 *
 * @throws DatasetProblem where it is damaged or none.
 */
export async function readZip(files: readonly string[], name: string, unpacking: Unpacking): Promise<void> {
  try {
    const zip = await openZip(files)
    try {
      await eachEntry(zip, entry => unpackEntry(zip, entry, unpacking))
    } finally {
      zip.close()
    }
  } catch (error) {
    if (error instanceof DatasetProblem || isOfSystem(error)) throw error
    throw new DatasetProblem('dataset_path', `${name} can't be unpacked: ${messageOf(error)}`, { cause: error })
  }
}

async function openZip(files: readonly string[]): Promise<ZipFile> {
  const options = { lazyEntries: true, autoClose: false }
  const [file] = files
  if (file !== undefined && files.length === 1) return yauzl.openPromise(file, options)
  const whole = await asOneZip(await Promise.all(files.map(stretchOf)))
  return yauzl.fromRandomAccessReaderPromise(new JoinedReader(whole), lengthOf(whole), options)
}

const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error

function eachEntry(zip: ZipFile, use: (entry: Entry) => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', resolve)
    zip.on('entry', (entry: Entry) => {
      use(entry).then(() => zip.readEntry(), reject)
    })
    zip.readEntry()
  })
}

/** The file type within the mode that Unix tools write. */
const isSymbolicLink = (entry: Entry): boolean => ((entry.externalFileAttributes >>> 16) & 0o170000) === 0o120000

async function unpackEntry(zip: ZipFile, entry: Entry, unpacking: Unpacking): Promise<void> {
  const { fileName: name } = entry
  if (name.endsWith('/')) return
  if (entry.isEncrypted()) throw new Error(`${name} is encrypted`)
  if (isSymbolicLink(entry))
    throw new DatasetProblem('dataset_path', `a ZIP file holds a link (${name}): it is not unpacked`)
  await unpacking.file(name, await streamOf(zip, entry))
}

function streamOf(zip: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error === null) resolve(stream)
      else reject(error)
    })
  })
}
