import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { parsePrices, readPrices } from '../../../src/cost/prices.js'
import { findPrice } from '../../../stages/model/budget/price.js'

let folder: string
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'prices-'))))
afterEach(() => rm(folder, { recursive: true }))

const problems = (text: string): readonly string[] => {
  try {
    parsePrices(text, 'p.yaml')
    return []
  } catch (error) {
    return error instanceof PipelineError ? error.problems : [String(error)]
  }
}

describe('built-in prices', () => {
  it('state when and where they were looked up', async () => {
    for (const models of Object.values(await readPrices()))
      for (const [model, price] of Object.entries(models)) {
        expect(price.date, model).toMatch(/^20\d\d-\d\d-\d\d$/)
        expect(price.source, model).toMatch(/^https:/)
      }
  })

  it('cover the models of the providers', async () => {
    const table = await readPrices()
    expect(findPrice(table, { backend: 'openai', model: 'gpt-4.1-mini-2025-04-14' })).toMatchObject({
      input: 0.4,
      cached: 0.1,
      output: 1.6,
    })
    expect(findPrice(table, { backend: 'gemini', model: 'gemini-2.5-flash' })?.audio).toBe(1)
    expect(findPrice(table, { backend: 'anthropic', model: 'claude-opus-4-1-20250805' })?.output).toBe(75)
  })
})

describe("a user's prices", () => {
  it('override built-in ones, by any name of the backend', async () => {
    const file = join(folder, 'mine.yaml')
    await writeFile(file, 'openai_compatible:\n  gpt-4o: {input: 9, output: 9}\n  local: {input: 0, output: 0}\n')
    const table = await readPrices(file)
    expect(findPrice(table, { backend: 'openai', model: 'gpt-4o' })?.input).toBe(9)
    expect(findPrice(table, { backend: 'openai', model: 'local' })?.output).toBe(0)
    expect(findPrice(table, { backend: 'openai', model: 'gpt-4o-mini' })?.input).toBe(0.15)
  })

  it('are rejected with the position of each mistake and the nearest name', () => {
    expect(problems('opnai:\n  m: {input: 1, output: 1}\nopenai:\n  m: {inptu: 1, output: -1}\n')).toEqual([
      'p.yaml:1:1  opnai: no such backend. Did you mean "openai"?   (pipeline models list, or "*" for any)',
      'p.yaml:4:6  openai m input: is missing: dollars per million tokens',
      'p.yaml:4:14  openai m: inptu: no such key. Did you mean "input"?',
      'p.yaml:4:25  openai m output: expected a number of at least 0, given the number -1',
    ])
    expect(problems('openai:\n  m: 3\n')).toEqual([
      'p.yaml:2:6  openai m: expected a model with its prices, such as {input: 0.5, output: 1.5}, given the number 3',
    ])
  })

  it('must exist', async () => {
    await expect(readPrices(join(folder, 'none.yaml'))).rejects.toThrow(/^prices .*none.yaml: no such file/)
  })
})
