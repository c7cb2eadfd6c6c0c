// Fetches lmms-eval's own client (lmms_eval/entrypoints/client.py of its package) and httpx, which it needs, into a folder for PYTHONPATH. The folder
// is $PIPELINE_LMMS_CLIENT, or else ~/.cache/pipeline/lmms-client. It needs Python 3.10 with pip, which pipeline itself does not.
//
//   node scripts/real-lmms-client.mjs      prints the folder and the Python
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const packageName = 'lmms-eval==0.7.3'
const digest = '5709f9f9f56a8f5f22bf379571bd1c5e7702af5ae2bbb9637001c5dd91168895'
const httpx = 'httpx==0.28.1'

/** Thrown if this machine lacks something, which is no fault of the project. */
export class Missing extends Error {}

/** @returns {{ python: string, path: string }} @throws Missing if Python or the network is missing */
export function realLmmsClient(env = process.env) {
  const path = env.PIPELINE_LMMS_CLIENT ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'pipeline/lmms-client')
  const python = env.PYTHON ?? 'python3'
  try {
    execFileSync(python, ['-c', 'import sys, pip; assert sys.version_info >= (3, 10)'], { stdio: 'ignore' })
  } catch {
    throw new Missing(`Python 3.10 with pip (${python})`)
  }
  if (existsSync(join(path, 'complete'))) return { python, path }
  const scratch = mkdtempSync(join(tmpdir(), 'lmms-client-'))
  try {
    pip(python, ['download', '--no-deps', '--no-cache-dir', '--dest', scratch, packageName])
    const wheel = join(scratch, readdirSync(scratch).find(name => name.endsWith('.whl')) ?? '')
    const found = createHash('sha256').update(readFileSync(wheel)).digest('hex')
    if (found !== digest) throw new Error(`${wheel}: sha256 is ${found}, not ${digest}`)
    execFileSync(python, ['-m', 'zipfile', '-e', wheel, join(scratch, 'unpacked')])
    rmSync(path, { recursive: true, force: true })
    mkdirSync(path, { recursive: true })
    pip(python, ['install', '--no-cache-dir', '--target', path, httpx])
    // The file by itself: its package imports PyTorch.
    cpSync(join(scratch, 'unpacked/lmms_eval/entrypoints/client.py'), join(path, 'lmms_eval_client.py'))
    writeFileSync(join(path, 'complete'), '')
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return { python, path }
}

function pip(python, words) {
  try {
    execFileSync(python, ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...words], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 300_000,
    })
  } catch (error) {
    const said = String(error.stderr ?? error.message)
      .trim()
      .split('\n')
      .at(-1)
    throw new Missing(`${words.at(-1)} from the package index (${said})`)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    console.log(JSON.stringify(realLmmsClient(), null, 1))
  } catch (error) {
    if (!(error instanceof Missing)) throw error
    console.error(`lmms-eval's client: there is no ${error.message}`)
    process.exitCode = 2
  }
}
