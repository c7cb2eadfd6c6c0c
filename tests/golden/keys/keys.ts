/** Keys and their preimages, computed by Python's json (sorted keys, no blanks) and hashlib: an implementation that shares nothing with ours. */
export const inputGolden = {
  "preimage": "{\"messages\":[{\"content\":[{\"media\":\"sha256:92b2fa58028958317e408bd84ecfa70f5ee35b121991dbc232c49d166353708b\",\"type\":\"image\"},{\"text\":\"How many circles are there?\\nAnswer with one word.\",\"type\":\"text\"}],\"role\":\"user\"}],\"type\":\"generate_until\",\"v\":1}",
  "key": "sha256:68bc3c16dccc990b309e91d09d5e14036b91502c92f21744cb885f68f7c50ba7"
}

export const configGolden = {
  "preimage": "{\"generation\":{\"max_new_tokens\":16,\"until\":[\"\\n\"]},\"model\":{\"args\":{\"model\":\"m-1\"},\"backend\":\"openai\"},\"v\":1}",
  "key": "sha256:a93dfe2e8b4f0d543a5cfef3a3d25864f49b6b0c8aa550b2b40e88fd393ca2be"
}

export const codeGolden = {
  "preimage": "{\"files\":{\"stages/model/backends/openai.ts\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"},\"packages\":{\"undici\":\"7.30.2\"},\"v\":1}",
  "key": "sha256:9e9a644c21d063fc3a5e56f01c33e5bd372808d49f422b81163ddeded52ca9de"
}

export const revisionGolden = {
  "preimage": "{\"files\":{},\"packages\":{\"onnxruntime-node\":\"1.30\"},\"revision\":{\"name\":\"onnx_vlm\",\"number\":1},\"v\":1}",
  "key": "sha256:37533c8e78701d5ea0c72aa7ec4fc6edaecc9fffe8fab27ed0a86741c37a9f13"
}

export const responseGolden = {
  "preimage": "{\"code\":\"sha256:9e9a644c21d063fc3a5e56f01c33e5bd372808d49f422b81163ddeded52ca9de\",\"config\":\"sha256:a93dfe2e8b4f0d543a5cfef3a3d25864f49b6b0c8aa550b2b40e88fd393ca2be\",\"input\":\"sha256:68bc3c16dccc990b309e91d09d5e14036b91502c92f21744cb885f68f7c50ba7\",\"sample\":0,\"v\":1}",
  "key": "sha256:0b2432ce5c5cb9cf713c5694d36840a351d5637a14b10d917e2c135b62e32a46"
}

export const answerGolden = {
  "preimage": "{\"finishReason\":\"stop\",\"text\":\" three\"}",
  "key": "sha256:df05aa612b6cb15f77e694ce7c48c7e455a7c34f6c0421168f74dc751ee70e1d"
}

export const recordGolden = {
  "preimage": "{\"choices\":[\"two\",\"three\"],\"doc\":{\"difficulty\":2,\"question\":\"How many?\"},\"target\":\"three\",\"v\":1}",
  "key": "sha256:1a1063c35d877dc7072525bc8066e5a1e211aeafe0ea45e5bda03f46ba8dc708"
}

export const judgeConfigGolden = {
  "preimage": "{\"metric_list\":[{\"metric\":\"exact_match\"}],\"v\":1}",
  "key": "sha256:484fb559d9fcf802b45eedb350d548bea21f03081562db0e7a969f4e5c61db0f"
}

export const scoreGolden = {
  "preimage": "{\"answers\":[\"sha256:df05aa612b6cb15f77e694ce7c48c7e455a7c34f6c0421168f74dc751ee70e1d\"],\"config\":\"sha256:484fb559d9fcf802b45eedb350d548bea21f03081562db0e7a969f4e5c61db0f\",\"record\":\"sha256:1a1063c35d877dc7072525bc8066e5a1e211aeafe0ea45e5bda03f46ba8dc708\",\"scorer\":\"sha256:b8131243fe8b267e54268ef94a2a32fdbfa26caaf5a4231d33f831126926375b\",\"v\":1}",
  "key": "sha256:a05236dd29efae690c874620cc5f048995ab2c0b451647ce5e4531716fe96770"
}

export const runGolden = {
  "preimage": "{\"code\":\"sha256:9e9a644c21d063fc3a5e56f01c33e5bd372808d49f422b81163ddeded52ca9de\",\"model\":{\"args\":{\"model\":\"m-1\"},\"backend\":\"openai\"},\"selection\":{\"limit\":5},\"tasks\":[{\"dataset\":{\"files\":{\"t.jsonl\":\"sha256:bc51e9e65d79e1c90ba544ab2eae1044ccdf8c1af7a559ba375cba4276f7d99e\"},\"path\":\"t.jsonl\",\"split\":\"test\"},\"identity\":\"sha256:e3b98a4da31a127d4bde6e43033f66ba274cab0eb7eb1c70ec41402bf6273dd8\",\"name\":\"t\"}],\"v\":1}",
  "key": "sha256:5548bdc1684b618dcbc2148cb22a560e21ca1fc8f4773c557e5b6708d5c36056"
}

/** The key of a request with several rounds in which a tool was called. */
export const conversationGolden = {
  "preimage": "{\"conversation\":{\"follow\":{\"by\":\"sha256:e3b98a4da31a127d4bde6e43033f66ba274cab0eb7eb1c70ec41402bf6273dd8\",\"doc\":{\"image\":{\"media\":\"sha256:92b2fa58028958317e408bd84ecfa70f5ee35b121991dbc232c49d166353708b\",\"type\":\"image\"},\"n\":2}},\"maxToolRounds\":10,\"v\":1},\"messages\":[{\"content\":[{\"text\":\"How many?\",\"type\":\"text\"}],\"role\":\"user\"},{\"content\":[],\"role\":\"assistant\",\"toolCalls\":[{\"arguments\":\"{\\\"at\\\":1}\",\"id\":\"c1\",\"name\":\"look\"}],\"turn\":[{\"signed\":true}]},{\"content\":[{\"text\":\"dark\",\"type\":\"text\"}],\"isToolError\":true,\"role\":\"tool\",\"toolCallId\":\"c1\",\"toolName\":\"look\"}],\"tools\":[{\"description\":\"Looks.\",\"name\":\"look\",\"parameters\":{\"type\":\"object\"}}],\"type\":\"generate_until_agentic\",\"v\":1}",
  "key": "sha256:56878a6bf6179ba82170da589dfeafd065feca9f8f5ebd83662c45128b007f83"
}

export const stepGolden = {
  "preimage": "{\"messages\":[],\"step\":{\"after\":\"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"at\":\"call 0\",\"of\":\"sha256:454349e422f05297191ead13e21d3db520e5abef52055e4964b82fb213f593a1\"},\"type\":\"step\",\"v\":1}",
  "key": "sha256:201ab3a9cf110af670f86ce8c2e372fc5a161d3808451aec3f5e7a416f6c664c"
}
