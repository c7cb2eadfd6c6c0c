import { execFile, type ExecFileException } from 'node:child_process'
import type { ProvidedContext } from 'vitest'
import type { TestProject } from 'vitest/node'

/** The locations of the real programs, or what is missing for them. */
export type RealLlamaCpp = { readonly server: string; readonly model: string } | { readonly missing: string }

/** The Python, and the folder with lmms-eval's client. */
export type RealLmmsClient = { readonly python: string; readonly path: string } | { readonly missing: string }

/** Where the program `st` is. */
export type RealSchemathesis = { readonly program: string } | { readonly missing: string }

/** The Python that has TensorBoard, W&B, Trackio and SwanLab. */
export type RealTrackers = { readonly python: string } | { readonly missing: string }

/** The program `mlflow`. */
export type RealMlflow = { readonly program: string } | { readonly missing: string }

/** The folder of modules that holds `@huggingface/transformers`. */
export type RealTransformersJs = { readonly modules: string } | { readonly missing: string }

/** The servers of object storage. */
export type RealS3Servers = { readonly moto: string; readonly rclone: string } | { readonly missing: string }

/** The paths of PP-OCRv4's recognition with its letters, and of Silero's voice detection. */
export type RealSmallModels =
  { readonly recognition: string; readonly letters: string; readonly voice: string } | { readonly missing: string }

declare module 'vitest' {
  interface ProvidedContext {
    llamaCpp: RealLlamaCpp
    lmmsClient: RealLmmsClient
    mlflow: RealMlflow
    s3Servers: RealS3Servers
    schemathesis: RealSchemathesis
    trackers: RealTrackers
    transformersJs: RealTransformersJs
    smallModels: RealSmallModels
  }
}

/** Fetches what the tests run, once before them. All at once, because each mostly waits for a registry. */
export async function setup(project: TestProject): Promise<void> {
  await Promise.all([
    provide('llamaCpp', 'scripts/real-llama-cpp.mjs'),
    provide('lmmsClient', 'scripts/real-lmms-client.mjs'),
    provide('mlflow', 'scripts/real-mlflow.mjs'),
    provide('s3Servers', 'scripts/real-s3-servers.mjs'),
    provide('schemathesis', 'scripts/real-schemathesis.mjs'),
    provide('trackers', 'scripts/real-trackers.mjs'),
    provide('transformersJs', 'scripts/real-transformers-js.mjs'),
    provide('smallModels', 'scripts/real-small-models.mjs'),
  ])

  async function provide(name: keyof ProvidedContext, script: string): Promise<void> {
    project.provide(name, (await fetchWith(script)) as ProvidedContext[typeof name])
  }
}

/** Runs a script. @returns what it fetched, or what it says is missing */
async function fetchWith(script: string): Promise<unknown> {
  const { error, stdout, stderr } = await new Promise<Ended>(resolve => {
    execFile(process.execPath, [script], (failure, out, err) => {
      resolve({ error: failure, stdout: out, stderr: err })
    })
  })
  if (error === null) return JSON.parse(stdout)
  if (error.code === 2) return { missing: stderr.replace(/^.*?: there is no /, '').trim() }
  throw new Error(stderr)
}

interface Ended {
  readonly error: ExecFileException | null
  readonly stdout: string
  readonly stderr: string
}
