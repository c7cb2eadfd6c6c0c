import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A folder of the larger test data outside of the project, or the reason why a test that needs it is skipped. */
export type TestData = { readonly path: string; readonly missing: undefined } | { readonly missing: string }

/** Finds a file or folder of the test data that `PIPELINE_TEST_DATA` names. */
export function findTestData(name: string): TestData {
  const root = process.env['PIPELINE_TEST_DATA']
  if (root === undefined || root === '') return { missing: `folder of test data (PIPELINE_TEST_DATA) with ${name}` }
  const path = join(root, name)
  return existsSync(path) ? { path, missing: undefined } : { missing: `${name} in PIPELINE_TEST_DATA` }
}
