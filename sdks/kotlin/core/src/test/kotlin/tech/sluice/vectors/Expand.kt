package tech.sluice.vectors

/** Replaces the short forms of sdks/contract/README.md, "Short forms". */
fun expand(value: Any?, fill: (String) -> String): Any? =
    when (value) {
        is String -> placeholder.replace(value) { fill(it.groupValues[1]) }
        is List<*> -> value.map { expand(it, fill) }
        is Map<*, *> -> shortFormOf(value, fill) ?: value.entries.associate { (name, member) -> expand(name, fill) to expand(member, fill) }
        else -> value
    }

private val placeholder = Regex("\\{\\{([\\w:]+)\\}\\}")

private fun shortFormOf(form: Map<*, *>, fill: (String) -> String): Any? {
    val times = (form["times"] as? Number)?.toInt() ?: 0
    return when {
        "\$repeat" in form -> (form["\$repeat"] as String).repeat(times)
        "\$items" in form -> List(times) { expand(form["\$items"], fill) }
        "\$numbered" in form -> ((form["from"] as? Number)?.toInt() ?: 0).let { from -> List(times) { "${form["\$numbered"]}${from + it}" } }
        "\$members" in form -> (0 until times).associate { "${form["\$members"]}$it" to 1L }
        "\$nested" in form -> nested((form["\$nested"] as Long).toInt(), form["in"] == "arrays")
        "\$number" in form -> (form["\$number"] as String).toDouble()
        "\$units" in form -> (form["\$units"] as List<*>).map { (it as Long).toInt().toChar() }.joinToString("")
        else -> null
    }
}

private fun nested(levels: Int, inLists: Boolean): Any =
    when {
        levels == 0 -> 1L
        inLists -> listOf(nested(levels - 1, true))
        else -> mapOf("a" to nested(levels - 1, false))
    }
