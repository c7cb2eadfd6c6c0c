/**
 * Lists the models that lmms-eval and lm-evaluation-harness load into their own process, and what replaces each of them
 * here.
 *
 * Source of names and weights: lmms-eval 0.7.3, `models/__init__.py` and the defaults of `pretrained`.
 */
import { ownValue } from '../../base/values/named-values.js'
import { option } from '../../base/errors/option-words.js'

/** The backend that replaces a model. */
export interface StandIn {
  readonly backend: 'vllm' | 'sglang' | 'openai'
  /** The weights. Absent if the name has no default weights. */
  readonly model?: string
  readonly args: Readonly<Record<string, string>>
  /** A sentence to know about it. */
  readonly why: string
  /** Set if the class of an installed lmms-eval can load the weights into a Python process instead. */
  readonly hasClass?: true
}

/** Weights that vLLM serves. */
const served: Readonly<Record<string, string>> = {
  aria: 'rhymes-ai/Aria',
  async_hf: 'Qwen/Qwen2.5-VL-3B-Instruct',
  async_hf_model: 'Qwen/Qwen2.5-VL-3B-Instruct',
  audio_flamingo_3: 'nvidia/audio-flamingo-3-hf',
  fuyu: 'adept/fuyu-8b',
  gemma3: 'google/gemma-3-27b-it',
  gemma4: 'google/gemma-4-31B-it',
  glm4v: 'zai-org/GLM-4.6V-Flash',
  'hf-auto': '',
  'hf-multimodal': '',
  huggingface: 'Qwen/Qwen2.5-VL-3B-Instruct',
  internvl: 'OpenGVLab/InternVL-Chat-V1-5',
  internvl2: 'OpenGVLab/InternVL2-2B',
  internvl3: 'OpenGVLab/InternVL3-8B',
  internvl3_5: 'OpenGVLab/InternVL3_5-8B',
  internvl_hf: 'OpenGVLab/InternVL3_5-8B-HF',
  lfm2_5_vl: 'LiquidAI/LFM2.5-VL-1.6B',
  llama4_scout: 'meta-llama/Llama-4-Scout-17B-16E-Instruct',
  llama_vision: 'meta-llama/Llama-3.2-11B-Vision-Instruct',
  llava: 'liuhaotian/llava-v1.5-7b',
  llava_hf: 'llava-hf/llava-1.5-7b-hf',
  llava_onevision: 'lmms-lab/llava-onevision-qwen2-7b-ov',
  minicpm_o: 'openbmb/MiniCPM-o-2_6',
  minicpm_v: 'openbmb/MiniCPM-V',
  mistral3_vl: 'mistralai/Ministral-3-8B-Base-2512',
  phi3v: 'microsoft/Phi-3-vision-128k-instruct',
  phi4_multimodal: 'microsoft/Phi-4-multimodal-instruct',
  qwen2_5_omni: 'Qwen/Qwen2.5-Omni-7B',
  qwen2_5_vl: 'Qwen/Qwen2.5-VL-3B-Instruct',
  qwen2_5_vl_interleave: 'Qwen/Qwen2.5-VL-3B-Instruct',
  qwen2_audio: 'Qwen/Qwen2-Audio-7B-Instruct',
  qwen2_vl: 'Qwen/Qwen2-VL-7B-Instruct',
  qwen3_5: 'Qwen/Qwen3.5-4B',
  qwen3_omni: 'Qwen/Qwen3-Omni-30B-A3B-Instruct',
  qwen3_vl: 'Qwen/Qwen3-VL-4B-Instruct',
  qwen_vl: 'Qwen/Qwen-VL',
  'vllm-vlm': '',
  whisper_vllm: 'openai/whisper-tiny',
}

/** Weights with their own Python code. Only some versions of vLLM have it. */
const ownCode: Readonly<Record<string, string>> = {
  aero: 'lmms-lab/Aero-1-Audio',
  aero_realtime_vllm: '',
  aero_realtime_vllm_chat: '',
  auroracap: '',
  baichuan_omni: 'baichuan-inc/Baichuan-Omni-1d5',
  cambrians: '',
  cambrians_vsc: '',
  cambrians_vsc_streaming: '',
  cambrians_vsr: '',
  cogvlm2: 'THUDM/cogvlm2-llama3-chinese-chat-19B',
  egogpt: '',
  idefics2: 'HuggingFaceM4/idefics2-8b',
  instructblip: 'Salesforce/instructblip-vicuna-7b',
  internvideo2: 'OpenGVLab/InternVideo2_chat_8B_HD',
  internvideo2_5: 'OpenGVLab/InternVideo2_5_Chat_8B',
  kimi_audio: 'moonshotai/Kimi-Audio-7B-Instruct',
  llama_vid: 'YanweiLi/llama-vid-7b-full-224-video-fps-1',
  llava_onevision1_5: 'lmms-lab/LLaVA-OneVision-1.5-8B-Instruct',
  llava_onevision2: 'lmms-lab-encoder/LLaVA-OneVision-2-8B-Instruct',
  llava_onevision_moviechat: 'lmms-lab/llava-onevision-qwen2-7b-ov',
  llava_vid: '',
  longva: 'lmms-lab/LongVA-7B',
  longvila: '',
  mantis: 'TIGER-Lab/Mantis-8B-siglip-llama3',
  minimonkey: 'mx262/MiniMonkey',
  mmada: 'Gen-Verse/MMaDA-8B-MixCoT',
  moviechat: '',
  mplug_owl_video: 'MAGAer13/mplug-owl-llama-7b-video',
  nanovlm: 'LMMs-Lab-Speedrun/NanoVLM_Init',
  neo_ov: 'Paranioar/NEO1_5-2B-SFT',
  ola: 'THUdyh/Ola-7b',
  omnivinci: 'nvidia/omnivinci',
  oryx: '',
  penguinvl: 'tencent/Penguin-VL-8B',
  plm: 'facebook/Perception-LM-8B',
  ross: 'HaochenWang/ross-qwen2-7b',
  slime: 'yifanzhang114/SliME-Llama3-8B',
  thyme: '',
  tinyllava: 'tinyllava/TinyLLaVA-Phi-2-SigLIP-3.1B',
  uni_moe_2_omni: 'HIT-TMG/Uni-MoE-2.0-Omni',
  videoChatGPT: 'MBZUAI/Video-ChatGPT-7B',
  video_llava: 'LanguageBind/Video-LLaVA-7B-hf',
  video_salmonn_2: 'tsinghua-ee/video-SALMONN-2_plus_7B',
  videochat2: 'OpenGVLab/VideoChat2_HD_stage4_Mistral_7B_hf',
  videochat_flash: 'OpenGVLab/VideoChat-Flash-Qwen2-7B_res448',
  videollama3: 'DAMO-NLP-SG/VideoLLaMA3-7B',
  vila: 'Efficient-Large-Model/VILA1.5-40b',
  vita: 'VITA-MLLM/VITA-1.5',
  vora: '',
  vqtoken: '',
  whisper: 'openai/whisper-tiny',
  whisper_tt: 'openai/whisper-tiny',
  xcomposer2_4KHD: 'internlm/internlm-xcomposer2-4khd-7b',
  xcomposer2d5: 'internlm/internlm-xcomposer2d5-7b',
}

/** Models behind an OpenAI-compatible address, with names of their own. */
const addressed: Readonly<Record<string, Pick<StandIn, 'model' | 'args'>>> = {
  batch_gpt4: { model: 'gpt-4o', args: {} },
  gpt4v: { model: 'gpt-4o', args: {} },
  gpt4o_audio: { model: 'gpt-4o-audio-preview', args: {} },
  qwen_vl_api: { model: 'qwen-vl-max', args: { base_url: 'https://dashscope.aliyuncs.com/compatible-mode/v1' } },
  reka: { model: 'reka-edge', args: { base_url: 'https://api.reka.ai/v1' } },
}

/** The same weights in the layout that engines read. */
const converted: readonly (readonly [RegExp, string])[] = [
  [/^liuhaotian\/llava-v1\.5-(7b|13b)$/, 'llava-hf/llava-1.5-$1-hf'],
  [/^liuhaotian\/llava-v1\.6-(vicuna-7b|vicuna-13b|mistral-7b|34b)$/, 'llava-hf/llava-v1.6-$1-hf'],
  [
    /^lmms-lab\/llava-onevision-qwen2-((?:0\.5b|7b|72b)-(?:si|ov)|(?:7b|72b)-ov-chat)$/,
    'llava-hf/llava-onevision-qwen2-$1-hf',
  ],
]

/** Returns the weights' name for an engine. */
export const servedWeights = (model: string): string => {
  const conversion = converted.find(([pattern]) => pattern.test(model))
  return conversion === undefined ? model : model.replace(conversion[0], conversion[1])
}

/** lmms-eval runs the code of these repositories without `trust_remote_code`. */
const runsCode = /^(internvl|internvl2|internvl3|internvl3_5|minicpm_[ov]|phi3v|phi4_multimodal|qwen_vl)$/

/** Finds the replacement for a model's name. @returns undefined for any other name */
export function standInFor(name: string): StandIn | undefined {
  if (name === 'llava_sglang') return engine('sglang', 'liuhaotian/llava-v1.5-7b', {})
  const address = ownValue(addressed, name)
  if (address !== undefined)
    return { ...address, backend: 'openai', why: 'Here any OpenAI-compatible server is one backend.' }
  const weights = ownValue(served, name)
  if (weights !== undefined) return engine('vllm', weights, runsCode.test(name) ? { trust_remote_code: 'true' } : {})
  const own = ownValue(ownCode, name)
  if (own === undefined) return undefined
  const { why, ...standIn } = engine('vllm', own, {})
  const elsewhere = `If your vLLM does not know its architecture, serve it behind the OpenAI protocol: ${option('model', 'openai')}, base_url=…`
  return { ...standIn, why: `${why} ${elsewhere}` }
}

const engine = (backend: 'vllm' | 'sglang', model: string, args: StandIn['args']): StandIn => ({
  backend,
  args,
  ...(model === '' ? {} : { model: servedWeights(model) }),
  why: 'Here a serving engine is started for the run, which answers many requests at once.',
  hasClass: true,
})
