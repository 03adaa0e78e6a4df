package tech.sluice.vectors

/** The vectors that an entry of a file stands for: itself, or one per case (sdks/contract/README.md, "Cases"). */
fun vectorsOf(written: Map<*, *>): List<Map<*, *>> =
    (written["cases"] as List<*>?)?.map { filled(written - "cases", it as Map<*, *>) as Map<*, *> } ?: listOf(written)

private fun filled(value: Any?, given: Map<*, *>): Any? =
    when (value) {
        is String -> value.replace("{{case}}", given["case"] as String)
        is List<*> -> value.map { filled(it, given) }
        is Map<*, *> -> if ("\$case" in value) memberOf(given, value["\$case"]) else value.mapValues { filled(it.value, given) }
        else -> value
    }

private fun memberOf(given: Map<*, *>, name: Any?): Any? {
    require(name in given) { "the case \"${given["case"]}\" has no $name" }
    return given[name]
}
