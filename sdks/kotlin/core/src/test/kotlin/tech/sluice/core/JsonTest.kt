package tech.sluice.core

import java.util.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Test

class JsonTest {
    @Test
    fun `values are written as JSON`() {
        val value = linkedMapOf("a" to listOf(1, 2L, 0.5, 1e-7, true, null), "quote\"" to "\\ \n\r\t\u0001 / é 😀")
        assertEquals("""{"a":[1,2,0.5,1.0E-7,true,null],"quote\"":"\\ \n\r\t\u0001 / é 😀"}""", formatJson(value))
    }

    @Test
    fun `what JSON does not have is refused`() {
        for (value in listOf(Double.NaN, Float.POSITIVE_INFINITY, Any(), listOf(Any()))) {
            assertThrows(IllegalArgumentException::class.java) { formatJson(value) }
        }
    }

    @Test
    fun `JSON is read`() {
        val text = """ { "a" : [ 1 , -2.5e+3 , "\u00e9\/\b" , [ ] , { } , true , false , null ] } """
        val read = mapOf("a" to listOf(1L, -2_500.0, "é/\b", emptyList<Any>(), emptyMap<String, Any>(), true, false, null))
        assertEquals(read, parseJson(text))
        assertEquals(9_007_199_254_740_993L, parseJson("9007199254740993"))
        assertEquals(1e300, parseJson("1" + "0".repeat(300)))
    }

    @Test
    fun `text that is not JSON is refused`() {
        val texts =
            listOf(
                "", " ", "{", "[", "[1,]", "[,1]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "'a'", "\"a", "\"\n\"", "\"\\x\"", "\"\\u12g4\"",
                "01", "-", "1.", ".5", "1e", "+1", "٣", "NaN", "Infinity", "tru", "nullx", "1 2", "[1 2]", "<html>", "\u0000", "1\u0000",
            )
        for (text in texts) assertThrows(text, JsonException::class.java) { parseJson(text) }
    }

    @Test
    fun `deep text ends the reading, not the process`() {
        assertThrows(JsonException::class.java) { parseJson("[".repeat(1_000_000)) }
        assertThrows(JsonException::class.java) { parseJson("{\"a\":".repeat(100_000)) }
    }

    @Test
    fun `every text is read back as it was written`() {
        val random = Random(21)
        repeat(2_000) {
            val text = String(CharArray(random.nextInt(20)) { random.nextInt(0xd800).toChar() }) + "😀"
            assertEquals(text, parseJson(formatJson(text)))
        }
    }
}
