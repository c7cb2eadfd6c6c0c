import { spawnSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'

/** Where the real things are, or what is missing for them. */
export type RealLlamaCpp = { readonly server: string; readonly model: string } | { readonly missing: string }

declare module 'vitest' {
  interface ProvidedContext {
    llamaCpp: RealLlamaCpp
  }
}

/** Fetches what the tests run, once before them. */
export function setup(project: TestProject): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/real-llama-cpp.mjs'], { encoding: 'utf8' })
  if (status === 2)
    return project.provide('llamaCpp', { missing: stderr.replace(/^llama\.cpp: there is no /, '').trim() })
  if (status !== 0) throw new Error(stderr)
  project.provide('llamaCpp', JSON.parse(stdout) as RealLlamaCpp)
}
