import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

/** A folder of the test's own, gone after it. */
export function temporaryFolder(): {
  path(name?: string): string
  write(name: string, content: string | Uint8Array): Promise<string>
} {
  let dir = ''
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pipeline-input-'))
  })
  afterEach(() => rm(dir, { recursive: true }))
  const path = (name = '.'): string => join(dir, name)
  return {
    path,
    async write(name, content) {
      await mkdir(dirname(path(name)), { recursive: true })
      await writeFile(path(name), content)
      return path(name)
    },
  }
}
