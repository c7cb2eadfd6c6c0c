import { expect, test } from 'vitest'
import { docNames } from '../../../stages/input/doc-names.js'

test('names a doc by its id, and adds its index if an earlier doc has the same id', () => {
  const nameOf = docNames()
  const docs = [{ question_id: 'q1' }, { question_id: 'q2' }, { question_id: 'q1' }, { question_id: 'q1' }, {}]
  expect(docs.map((doc, index) => nameOf(doc, index))).toEqual(['q1', 'q2', 'q1#2', 'q1#3', '4'])
})

test('gives 200,000 docs distinct names', () => {
  const nameOf = docNames()
  const names = Array.from({ length: 200_000 }, (_, index) => nameOf({ id: index % 150_000 }, index))
  expect(new Set(names).size).toBe(200_000)
  expect(names[149_999]).toBe('149999')
  expect(names[150_000]).toBe('0#150000')
})

test('gives a doc whose id has a lone surrogate a name that can be stored, with its index', () => {
  const nameOf = docNames()
  expect([{ id: 'a\ud800' }, { id: 'a\ufffd' }].map((doc, index) => nameOf(doc, index))).toEqual([
    'a\ufffd#0',
    'a\ufffd#1',
  ])
})
