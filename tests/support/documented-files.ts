import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Reads the files that a page shows completely: code blocks whose first line names them, as in ```` ```ts mine.ts ````. */
export async function documentedFiles(page: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(page, 'utf8')
  return new Map([...text.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].map(([, name = '', body = '']) => [name, body]))
}

export async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}
