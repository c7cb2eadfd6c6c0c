import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runCli, type Ended } from './cli.js'
import { python } from './python-pool.js'
import { temporaryFolder } from './store.js'

interface PythonTask {
  readonly folder: string
  readonly store: string
  readonly run: (...words: readonly string[]) => Promise<Ended>
}

/** Writes a task folder with code in Python, and runs the built program in it. */
export async function pythonTask(files: Readonly<Record<string, string | Uint8Array>>): Promise<PythonTask> {
  const folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  const store = join(folder, 'store')
  const env = { PIPELINE_STORE: store, PIPELINE_PYTHON: python }
  return { folder, store, run: (...words) => runCli(words, { cwd: folder, env }) }
}

interface Shown {
  readonly tasks: Readonly<
    Record<string, Readonly<Record<string, { readonly value: number | null; readonly note?: string }>>>
  >
}

/** The numbers that a command printed as JSON. */
export const numbersIn = ({ stdout }: Ended): Shown['tasks'] => (JSON.parse(stdout) as Shown).tasks
