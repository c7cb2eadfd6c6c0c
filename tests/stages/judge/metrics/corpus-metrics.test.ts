import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { Aggregate, JsonObject, ScoreBody } from '../../../../cache/records.js'
import { makeScorer } from '../../../support/scorer.js'
import type { Scorer } from '../../../../stages/judge/scorer.js'
import { answeredDoc, recordOf, textBody } from '../../../support/judged.js'

const scorerOf = (metric: JsonObject, rest: JsonObject = {}, processed?: Json): Scorer =>
  makeScorer({
    task: 't',
    outputType: 'generate_until',
    config: { metric_list: [metric], ...rest },
    scorerCode: { files: {} },
    ...(processed !== undefined && { processResults: () => ({ [metric['metric'] as string]: processed }) }),
  })

interface Pair {
  readonly answer: string
  readonly targets: Json
  readonly doc?: JsonObject
}

const score = async ({ answer, targets, doc = {} }: Pair, scorer: Scorer): Promise<ScoreBody> =>
  scorer.score(answeredDoc(recordOf(targets, { doc }), [textBody(answer)]))

async function aggregate(scorer: Scorer, pairs: readonly Pair[]): Promise<readonly Aggregate[]> {
  const bodies = await Promise.all(pairs.map(pair => score(pair, scorer)))
  return scorer.aggregate(bodies, { docs: pairs.length })
}

const cat = { answer: 'the cat sat on a mat', targets: 'the cat sat on the mat' }
const dog = { answer: 'a dog barks loudly', targets: 'a dog barks' }

test('a doc keeps its own score and its statistics, and the corpus has a signature', async () => {
  const scorer = scorerOf({ metric: 'bleu', lowercase: true })
  const { bleu } = (await score(dog, scorer)).values as Record<string, JsonObject>
  const statistics = { counts: [3, 2, 1, 0], totals: [4, 3, 2, 1], sys_len: 4, ref_len: 3, nrefs: 1 }
  expect(bleu).toEqual({ score: bleu!['score'], ...statistics })
  // (3/4 · 2/3 · 1/2 · 1/2)^¼: the order without a match counts half of one.
  expect(bleu!['score']).toBeCloseTo(100 * (1 / 8) ** (1 / 4), 9)
  const [whole] = await aggregate(scorer, [cat, dog])
  expect(whole).toMatchObject({ n: 2, total: 2, stderr: null, intervalMethod: 'none', higherIsBetter: true })
  expect(whole!.note).toBe('BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0')
})

test('the signature of chrF contains β and word order, and a lower TER is better', async () => {
  const [chrf] = await aggregate(scorerOf({ metric: 'chrf', word_order: 2, beta: 3 }), [cat, dog])
  expect(chrf!.note).toBe('chrF3++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0')
  const [ter] = await aggregate(scorerOf({ metric: 'ter' }), [cat, dog])
  expect(ter).toMatchObject({ value: (100 * 2) / 9, higherIsBetter: false })
  expect(ter!.note).toBe('TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0')
})

test('the signature says that the number of references varies', async () => {
  const [whole] = await aggregate(scorerOf({ metric: 'bleu' }), [cat, { ...dog, targets: ['a dog', 'a dog barks'] }])
  expect(whole!.note).toContain('nrefs:var|')
})

test('each label of the breakdown is a separate corpus', async () => {
  const scorer = scorerOf({ metric: 'bleu' }, { breakdown: 'kind' })
  const [, catsAlone, dogsAlone] = await aggregate(scorer, [
    { ...cat, doc: { kind: 'cat' } },
    { ...dog, doc: { kind: 'dog' } },
  ])
  const [onlyCat] = await aggregate(scorerOf({ metric: 'bleu' }), [cat])
  expect([catsAlone!.group!.label, catsAlone!.value]).toEqual(['cat', onlyCat!.value])
  expect(dogsAlone!.group!.label).toBe('dog')
})

test.each(['bleu', 'chrf', 'ter'])('%s accepts pairs of reference and answer from process_results', async id => {
  const [direct] = await aggregate(scorerOf({ metric: id }), [dog])
  for (const reference of [dog.targets, [dog.targets]]) {
    const [paired] = await aggregate(scorerOf({ metric: 'own', aggregation: id }, {}, [reference, dog.answer]), [dog])
    expect([paired!.value, paired!.note]).toEqual([direct!.value, direct!.note])
  }
})

test('a value without statistics of the corpus metric leaves it without a number, and says why', async () => {
  const scorer = scorerOf({ metric: 'own', aggregation: 'bleu' }, {}, 0.5)
  const [own] = await aggregate(scorer, [dog])
  expect(own?.error).toBe("aggregation bleu: it takes the metric's statistics or [reference(s), answer], not 0.5")
})

test('reports a wrong argument once, and says why a tokenizer is missing', () => {
  expect(() => scorerOf({ metric: 'bleu', tokenize: 'ja-mecab' })).toThrow(
    /^task t, metric_list\[0\]\.tokenize: "ja-mecab" is none of none, 13a, intl, zh, char; .*MeCab[^\n]*$/,
  )
  expect(() => scorerOf({ metric: 'ter', normalised: true })).toThrow('Did you mean "normalized"?')
})

const word = fc.constantFrom('a', 'b', 'cat', 'dog,', '日本', '3.5', "it's", '😀')
const text = fc.array(word, { minLength: 1, maxLength: 12 }).map(words => words.join(' '))
const pairs = fc.array(fc.record({ answer: text, targets: text }), { minLength: 1, maxLength: 8 })

test.each([
  ['bleu', 100],
  ['chrf', 100],
  ['ter', 0],
])('%s of answers equal to their references is %i, in any order of docs', async (id, perfect) => {
  const scorer = scorerOf({ metric: id, ...(id === 'bleu' && { effective_order: true }) })
  await fc.assert(
    fc.asyncProperty(pairs, async some => {
      const [same] = await aggregate(
        scorer,
        some.map(({ answer }) => ({ answer, targets: answer })),
      )
      expect(same!.value).toBeCloseTo(perfect, 9)
      const [forth] = await aggregate(scorer, some)
      const [back] = await aggregate(scorer, [...some].reverse())
      expect(back!.value).toBeCloseTo(forth!.value!, 9)
      expect(forth!.value).toBeGreaterThanOrEqual(0)
      if (id !== 'ter') expect(forth!.value).toBeLessThanOrEqual(100 + 1e-9)
    }),
    { numRuns: 40 },
  )
})
