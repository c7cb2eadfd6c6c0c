import { testGoldenTask } from '../support/golden-task.js'

const isRight = ({ pred, answer }: { pred: string; answer: string }): number =>
  Number(pred.toLowerCase() === answer.toLowerCase())

testGoldenTask('seedbench', { values: { seed_image: isRight, seed_video: isRight, seed_all: isRight } })
