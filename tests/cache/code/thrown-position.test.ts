import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { loadUserCode } from '../../../cache/code/load-user-code.js'
import { codeFailure, findMistakePosition, describeThrown } from '../../../cache/code/thrown-position.js'
import { temporaryFolder } from '../../support/store.js'

const source = `interface Doc { readonly answer?: { readonly kind: string } }

export const kindOf = (doc: Doc): string => {
  return doc.answer!.kind
}

export function own(): never {
  throw new Error('no such gate')
}
`

/** What a function of the file throws, with the stack as Node writes it without source maps. */
async function thrownBy(name: 'kindOf' | 'own', isGone = false): Promise<unknown> {
  const folder = await temporaryFolder()
  const [file, cacheDir] = [join(folder, 'utils.ts'), join(folder, 'cache')]
  await writeFile(file, source)
  const { module } = await loadUserCode(file, { cacheDir })
  const compiled = join(cacheDir, (await readdir(cacheDir))[0] ?? '')
  const lines = (await readFile(compiled, 'utf8')).split('\n')
  const line = lines.findIndex(text => text.includes('doc.answer.kind'))
  const frame = `${pathToFileURL(compiled).href}:${line + 1}:${(lines[line] ?? '').indexOf('kind') + 1}`
  if (isGone) await rm(cacheDir, { recursive: true })
  try {
    return (module[name] as (doc: object) => unknown)({})
  } catch (error) {
    return Object.assign(error as Error, {
      stack: `${String(error)}\n    at ${name} (${frame})\n    at node:internal:1:1`,
    })
  }
}

test("reports a JavaScript runtime error with the line of the user's own file", async () => {
  const error = await thrownBy('kindOf')
  expect(describeThrown(error)).toBe("Cannot read properties of undefined (reading 'kind') (utils.ts:4:22)")
  expect(describeThrown(new Error('near: wrong', { cause: error }))).toBe('near: wrong (utils.ts:4:22)')
})

test("keeps the text of a function's own error", async () => {
  expect(describeThrown(await thrownBy('own'))).toBe('no such gate')
  expect(describeThrown(new TypeError('not of a user'))).toBe('not of a user')
  expect(describeThrown('a text')).toBe('a text')
})

test("reports any thrown value as thrown by the user's code, with file and line", async () => {
  expect(codeFailure(await thrownBy('own'))).toBe("the task's code failed at utils.ts:4:22: no such gate")
  expect(codeFailure(new Error('near: wrong', { cause: await thrownBy('kindOf') }))).toMatch(
    /^the task's code failed at utils.ts:4:22/,
  )
  expect(codeFailure(new TypeError('not of a user'))).toBeUndefined()
})

test('leaves out the line if the compiled file is gone', async () => {
  const error = await thrownBy('kindOf', true)
  expect(describeThrown(error)).toBe("Cannot read properties of undefined (reading 'kind')")
})

test("distinguishes a mistake in the user's code from an error that the code throws or rethrows", async () => {
  const own = await thrownBy('kindOf')
  expect(findMistakePosition(own)).toBe('utils.ts:4:22')
  expect(findMistakePosition(await thrownBy('own'))).toBeUndefined()
  const stack = (own as Error).stack?.split('\n').slice(1).join('\n') ?? ''
  const fetched = Object.assign(new TypeError('fetch failed'), {
    stack: `TypeError: fetch failed\n    at node:internal/deps/undici/undici:13510:13\n${stack}`,
  })
  expect(findMistakePosition(fetched)).toBeUndefined()
  const mapped = Object.assign(new TypeError('f is not a function'), {
    stack: `TypeError: f is not a function\n    at Array.map (<anonymous>)\n${stack}`,
  })
  expect(findMistakePosition(mapped)).toBe('utils.ts:4:22')
})
