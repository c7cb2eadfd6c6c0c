/** The built files of the viewer. They are read once, so that no address can lead to another file. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'
import { projectRoot } from '../../../cache/code/project-root.js'

/** A file of the pages with its media type. */
export interface ViewerFile {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Compressed by gzip; absent where that saves nothing. */
  readonly gzip?: Uint8Array<ArrayBuffer>
  readonly etag: string
  /** True if the name contains a digest of the content, so that browsers can cache the file for ever. */
  readonly isImmutable: boolean
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
}

/** The folder into which `npm run build:web` writes the pages. */
const viewerFolder = join(projectRoot, 'dist/web/viewer')

/** @throws PipelineError if the pages were not built */
export function readViewerFiles(folder: string = viewerFolder): ReadonlyMap<string, ViewerFile> {
  let names: readonly string[]
  try {
    names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => relative(folder, join(entry.parentPath, entry.name)))
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    throw new PipelineError('config', `${folder} is missing: the viewer is not built. Run \`npm run build:web\``, {
      cause: error,
    })
  }
  return new Map(
    names.flatMap(name => {
      const type = types[extname(name)]
      return type === undefined
        ? []
        : [[name.split(sep).join('/'), makeViewerFile(type, readFileSync(join(folder, name)), isHashed(name))] as const]
    }),
  )
}

/** Vite adds a digest of the content to names: `assets/index-BGF2cyzl.css`. */
const isHashed = (name: string): boolean => name.startsWith(`assets${sep}`) && /-[\w-]{8}\.\w+$/.test(name)

function makeViewerFile(type: string, content: Buffer, isImmutable: boolean): ViewerFile {
  const bytes = new Uint8Array(content)
  const gzip = new Uint8Array(gzipSync(bytes))
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
  return { type, bytes, etag, isImmutable, ...(gzip.length < bytes.length * 0.9 && { gzip }) }
}
