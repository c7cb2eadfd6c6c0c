import { spawnSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'

/** Where the real things are, or what is missing for them. */
export type RealLlamaCpp = { readonly server: string; readonly model: string } | { readonly missing: string }

/** The Python, and the folder with lmms-eval's client. */
export type RealLmmsClient = { readonly python: string; readonly path: string } | { readonly missing: string }

/** Where the program `st` is. */
export type RealSchemathesis = { readonly program: string } | { readonly missing: string }

/** The Python that has TensorBoard and W&B. */
export type RealTrackers = { readonly python: string } | { readonly missing: string }

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
    s3Servers: RealS3Servers
    schemathesis: RealSchemathesis
    trackers: RealTrackers
    transformersJs: RealTransformersJs
    smallModels: RealSmallModels
  }
}

/** Fetches what the tests run, once before them. */
export function setup(project: TestProject): void {
  project.provide('llamaCpp', fetched('scripts/real-llama-cpp.mjs') as RealLlamaCpp)
  project.provide('lmmsClient', fetched('scripts/real-lmms-client.mjs') as RealLmmsClient)
  project.provide('s3Servers', fetched('scripts/real-s3-servers.mjs') as RealS3Servers)
  project.provide('schemathesis', fetched('scripts/real-schemathesis.mjs') as RealSchemathesis)
  project.provide('trackers', fetched('scripts/real-trackers.mjs') as RealTrackers)
  project.provide('transformersJs', fetched('scripts/real-transformers-js.mjs') as RealTransformersJs)
  project.provide('smallModels', fetched('scripts/real-small-models.mjs') as RealSmallModels)
}

/** What a script fetched, or what it says is missing. */
function fetched(script: string): unknown {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  if (status === 2) return { missing: stderr.replace(/^.*?: there is no /, '').trim() }
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
