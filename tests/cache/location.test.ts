import { readdirSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { holdsStore, openStore, verifyStore } from '../../cache/open.js'
import { temporaryFolder } from '../support/store.js'

test.each([
  'mysql://ada:s3cret@h/d',
  'postgresql+psycopg2://ada:s3cret@h/d',
  's3://key:s3cret@bucket/x',
  'POSTGRES://h/d',
])('rejects an address of another kind and does not repeat its password: %s', async location => {
  const cwd = await temporaryFolder()
  const spy = vi.spyOn(process, 'cwd').mockReturnValue(cwd)
  for (const open of [openStore, holdsStore, (at: string) => verifyStore(at, { repair: false })]) {
    const error: unknown = await open(location).catch((reason: unknown) => reason)
    expect(String(error)).toContain('an address that begins with postgres://')
    expect(String(error)).not.toContain('s3cret')
  }
  spy.mockRestore()
  expect(readdirSync(cwd)).toEqual([])
})
