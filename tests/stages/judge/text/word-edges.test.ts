import { expect, test } from 'vitest'
import { containsWords } from '../../../../stages/judge/text/word-edges.js'
import { contains } from '../../../../stages/judge/metrics/exact-match.js'
import { valueOf } from '../../../support/judged-value.js'

test.each([
  ['The answer is Paris.', 'Paris'],
  ['答案是北京市。', '北京市'],
  ['答案是苹果', '苹果'],
  ['首都は東京です', '東京'],
  ['それはりんごです', 'りんご'],
  ['コーヒーを飲む', 'コーヒー'],
  ['คำตอบคือกรุงเทพ', 'กรุงเทพ'],
  ['นี่คือแอปเปิลครับ', 'แอปเปิล'],
  ['ຄໍາຕອບແມ່ນວຽງຈັນ', 'ວຽງຈັນ'],
  ['ចម្លើយគឺភ្នំពេញ', 'ភ្នំពេញ'],
  ['အဖြေကရန်ကုန်ပါ', 'ရန်ကုန်'],
  ['정답은 사과입니다', '사과'],
  ['서울에서는', '서울'],
  ['GPT는 모델이다', 'GPT'],
  ['我用iPhone手机', 'iPhone'],
  ['答案是42。', '42'],
  ['हिन्दी भाषा', 'हिन्दी'],
  ['C++ is it', 'C++'],
  ['1,2,3', '3'],
  ['- 3 apples, 4 pears.', '3'],
  ['It is 3.', '3'],
  ['cafe\u0301', 'café'],
])('%j contains the word %j', (text, word) => {
  expect(containsWords(text.normalize('NFC'), word)).toBe(true)
  expect(valueOf(contains, text, { target: word })).toBe(1)
})

test.each([
  ['nothing', 'no'],
  ['Parisian', 'Paris'],
  ['142', '42'],
  ['3.14', '3'],
  ['3.14', '14'],
  ['-3', '3'],
  ['.5', '5'],
  ['1,234', '234'],
  ['1,234', '1'],
  ['42nd', '42'],
  ['사과나무', '사과'],
  ['풋사과', '사과'],
  ['हिन्दीभाषा', 'हिन्दी'],
  ['हिन्दी', 'हिन्द'],
  ['กี', 'ก'],
  ['москвич', 'москв'],
  ['naïve', 'na'],
])('%j does not contain the word %j', (text, word) => {
  expect(containsWords(text, word)).toBe(false)
  expect(valueOf(contains, text, { target: word })).toBe(0)
  expect(valueOf(contains, text, { target: word, args: { whole_words: false } })).toBe(1)
})
