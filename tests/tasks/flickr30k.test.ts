import { captionOptions } from '../support/golden-captions.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('flickr30k', { ...captionOptions('flickr'), target: ({ doc }) => doc['caption'] })
