import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { composed } from '../../tasks/mmmu/composition.js'
import { picture } from '../../tasks/mmmu/group.js'
import { builtinTask } from '../support/builtin-task.js'
import { goldenRows } from '../support/golden.js'

/** A row of `tests/golden/drawing/`: see the README there. */
interface Composition {
  readonly pictures: readonly string[]
  readonly size: readonly [number, number]
  readonly sha256: string
}

const pixelsOf = async (file: Uint8Array) => sharp(file).raw().toBuffer({ resolveWithObject: true })

describe('combined pictures', () => {
  test.each(goldenRows<Composition>('drawing/compositions.jsonl.gz').map(row => [row.size.join(' × '), row] as const))(
    '%s is byte-equal to the one that the reference makes with Pillow',
    async (_, { pictures, size, sha256 }) => {
      const { data, info } = await pixelsOf(await composed(pictures.map(one => Buffer.from(one, 'base64'))))
      expect([info.width, info.height, info.channels]).toEqual([...size, 3])
      expect(createHash('sha256').update(data).digest('hex')).toBe(sha256)
    },
  )

  test('supports at most seven pictures, as many as MMMU has', async () => {
    const [row] = goldenRows<Composition>('drawing/compositions.jsonl.gz')
    const one = Buffer.from(row!.pictures[0]!, 'base64')
    await expect(composed(Array<Uint8Array>(8).fill(one))).rejects.toThrow('none for a picture 8')
  })
})

const doc = {
  ...{ id: 'validation_Art_3', question: '<image 1> Which is it?', question_type: 'multiple-choice', answer: 'B' },
  ...{ options: "['<image 3>', '<image 2>']", topic_difficulty: 'Easy', subject: 'Art', discipline: 'Art and Design' },
  ...{ image_1: 'a.png', image_2: 'b.png', image_3: 'c.png' },
}

test('combines the pictures of question and options, in the order of their numbers', () => {
  const { medium, others } = picture(doc)
  expect([medium, others]).toEqual(['a.png', ['b.png', 'c.png']])
})

test('lists options with letters in brackets, and reads answers like mmmu_val', async () => {
  const { prompt, score } = await builtinTask('mmmu_val_group_img')
  expect(prompt(doc)).toMatch(
    /<image 1> Which is it\?\n\(A\) <image 3>\n\(B\) <image 2>\n\nAnswer with the option's letter from the given choices directly\.$/,
  )
  expect((await score(doc, 'It is (B).')).values).toEqual({ mmmu_acc: 1 })
  const open = { ...doc, question_type: 'open', options: '[]', answer: '12' }
  expect(prompt(open)).toMatch(/Which is it\?\nAnswer the question using a single word or phrase\.$/)
  expect((await score(open, 'The answer is 12.')).values).toEqual({ mmmu_acc: 1 })
})

test('submits an answer of the test split unchanged', async () => {
  const { score } = await builtinTask('mmmu_test_group_img')
  expect((await score(doc, 'It is (B).')).values).toEqual({ submission: { validation_Art_3: 'It is (B).' } })
})
