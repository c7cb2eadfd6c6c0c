import { captionOptions } from '../support/golden-captions.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('textcaps', { ...captionOptions('textcaps'), target: ({ doc }) => doc['caption_str'] })
