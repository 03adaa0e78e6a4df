package tech.sluice.file

import java.io.File
import java.io.IOException
import java.util.Random
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import tech.sluice.core.Batch
import tech.sluice.core.BatchKind
import tech.sluice.testing.JvmFolderSync
import tech.sluice.testing.contractFile

class FileBatchStoreTest {
    @get:Rule
    val temporary = TemporaryFolder()
    private val folder get() = temporary.root
    private val lost = ArrayList<Int>()

    private fun store() = FileBatchStore(folder, JvmFolderSync)

    private fun aBatch(key: String = "key-1") = Batch(key, "https://sluice.test", "Source000001", BatchKind.TRACK, 1_769_860_800_000)

    private fun FileBatchStore.all() = list(emptySet()) { count, _ -> lost += count }

    private fun FileBatchStore.fill(batch: Batch, count: Int) = repeat(count) { assertTrue(append(batch, it, "{\"n\":$it}")) }

    @Test
    fun `another process finds what was appended, and its seal ends the batch of the first`() {
        val mine = store()
        mine.fill(aBatch(), 2)
        val other = store()
        assertEquals(listOf(2), other.all().map { it.count })
        assertEquals(2, other.seal(aBatch()))
        assertFalse(mine.append(aBatch(), 2, "{}"))
        assertEquals(2, mine.seal(aBatch()))
        assertEquals(listOf("{\"n\":0}", "{\"n\":1}"), mine.read("key-1"))
    }

    @Test
    fun `clear removes the batches of a source only, and counts their messages`() {
        val store = store()
        store.fill(aBatch("mine"), 2)
        store.fill(aBatch("mine-2"), 3)
        store.fill(aBatch("other").copy(sourceIdentifier = "Source000002"), 4)
        assertEquals(5, store().clear("Source000001"))
        assertEquals(setOf("other"), store.keys())
        assertEquals(4, store.read("other")?.size)
        assertEquals(0, store.clear("Source000001"))
    }

    @Test
    fun `a store that is closed has no file open, and opens again`() {
        repeat(100) {
            val store = store()
            store.fill(aBatch("key-$it"), 1)
            store.close()
        }
        val open = File("/proc/self/fd").listFiles().orEmpty().count { runCatching { it.canonicalPath }.getOrNull()?.startsWith(folder.canonicalPath) == true }
        assertEquals(0, open)
        val store = store()
        store.close()
        store.fill(aBatch("again"), 1)
        assertEquals(1, store.read("again")?.size)
    }

    @Test
    fun `doubts of several clients add up, and a batch with doubts is not divided`() {
        val mine = store()
        val other = store()
        mine.fill(aBatch(), 2)
        mine.seal(aBatch())
        assertEquals(1, mine.update(aBatch(), 1))
        assertEquals(2, other.update(aBatch(), 1))
        assertFalse(mine.replace("key-1", emptyList()))
        assertEquals(0, mine.update(aBatch(), -2))
        assertNull(mine.update(aBatch("key-9"), 1))
    }

    @Test
    fun `the golden files are repaired when they are listed, and damage is reported once`() {
        for (name in listOf("open", "torn-in-payload", "flipped-in-message", "seal-counts-more", "divided", "later-message", "flipped-in-header", "torn-magic")) {
            folder.listFiles().orEmpty().forEach { it.delete() }
            lost.clear()
            File(folder, "key-1.batch").writeBytes(contractFile("store/$name.batch").readBytes())
            val listed = store().all()
            val lostThen = lost.toList()
            val expected = BatchFile.read(contractFile("store/$name.batch").readBytes())
            assertEquals(name, if (expected is BatchFile.Whole) expected.messages.size else 0, listed.sumOf { it.count })
            assertEquals(name, (expected as? BatchFile.Whole)?.lost ?: (expected as BatchFile.Empty).lost, lostThen.sum())
            assertEquals(name, listed.map { it.key to it.count }, store().all().map { it.key to it.count })
            assertEquals(name, lostThen, lost)
        }
    }

    @Test
    fun `a damaged batch counts as tried, so that it is not divided`() {
        for (name in listOf("flipped-in-message", "seal-counts-more")) {
            File(folder, "key-1.batch").writeBytes(contractFile("store/$name.batch").readBytes())
            assertEquals(name, listOf(1, 1), listOf(store().all().single().doubts, store().all().single().doubts))
        }
    }

    @Test
    fun `messages after the seal become a batch of their own when the batch is removed`() {
        File(folder, "key-1.batch").writeBytes(contractFile("store/later-message.batch").readBytes())
        val store = store()
        store.remove(store.all().single())
        assertEquals(listOf("key-1.2" to 1), store.all().map { it.key to it.count })
    }

    @Test
    fun `files of others and of newer versions stay untouched, and are reported once`() {
        for (name in listOf("foreign", "newer-version")) File(folder, "$name.batch").writeBytes(contractFile("store/$name.batch").readBytes())
        val store = store()
        assertEquals(emptyList<Batch>(), store.all() + store.all())
        assertEquals(listOf(0, 0), lost)
        assertTrue(File(folder, "foreign.batch").exists() && File(folder, "newer-version.batch").exists())
    }

    @Test
    fun `a file that cannot be opened is not an empty one`() {
        // A folder cannot be opened like a file, by any user.
        File(folder, "key-1.batch").mkdirs()
        val store = store()
        assertEquals(emptyList<Batch>(), store.all())
        assertEquals(listOf(0), lost)
        assertThrows(IOException::class.java) { store.read("key-1") }
        assertFalse(store.append(aBatch(), 0, "{}"))
        assertTrue(File(folder, "key-1.batch").isDirectory)
    }

    @Test
    fun `a folder that cannot be made is an error, not an empty queue`() {
        val file = temporary.newFile("no-folder")
        val queue = FileBatchStore(File(file, "queue"), JvmFolderSync)
        assertThrows(IOException::class.java) { queue.list(emptySet()) { _, _ -> } }
        assertThrows(IOException::class.java) { FileValueStore(File(file, "values"), "source").read() }
    }

    @Test
    fun `a file that is cut at any byte is read without its last message`() {
        val store = store()
        store.fill(aBatch(), 3)
        val whole = File(folder, "key-1.batch").readBytes()
        val random = Random(21)
        repeat(200) {
            val length = 1 + random.nextInt(whole.size - 1)
            File(folder, "key-1.batch").writeBytes(whole.copyOf(length))
            val listed = store().all()
            assertEquals("cut at $length", emptyList<Int>(), lost)
            listed.forEach { batch -> assertEquals(List(batch.count) { "{\"n\":$it}" }, store().read("key-1")) }
        }
    }

    @Test
    fun `many clients in threads append, seal and remove without a lost message`() {
        val threads =
            List(4) { number ->
                Thread {
                    val store = store()
                    repeat(25) { turn ->
                        val batch = aBatch("key-$number-$turn")
                        store.fill(batch, 4)
                        if (turn % 5 == 0) store.list(emptySet()) { _, _ -> }
                        store.seal(batch)
                    }
                }
            }
        threads.forEach { it.start() }
        threads.forEach { it.join() }
        assertEquals(400, store().all().sumOf { it.count })
    }
}
