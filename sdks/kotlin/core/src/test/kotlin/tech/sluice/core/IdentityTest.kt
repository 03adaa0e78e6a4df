package tech.sluice.core

import java.io.File
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.concurrent.thread
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import tech.sluice.Client
import tech.sluice.Plugin
import tech.sluice.file.FileValueStore
import tech.sluice.net.SystemRandomness
import tech.sluice.net.SystemWorker
import tech.sluice.vectors.FakeTime

private const val EVENTS = 20_000

class IdentityTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private fun values() = FileValueStore(File(temporary.root, "values"), "s")

    private fun identityOf(values: ValueStore) = Identity(values, SystemRandomness, FakeTime(0).worker { true })

    @Test
    fun `no event has the ids of two people, whoever identifies on another thread`() {
        val users = ConcurrentHashMap<String, MutableSet<String>>()
        val seeing = Plugin { message ->
            message.userId?.let { users.getOrPut(message.anonymousId!!) { ConcurrentHashMap.newKeySet() } += it }
            null
        }
        val ports = Ports(SdkName("test", "1"), SystemWorker(), SystemRandomness, null, null, { _, _ -> Cancellation { } })
        val client = Client(Options("k", "Source000001", "https://sluice.test", plugins = listOf(seeing)), ports)
        while (client.anonymousId == null) Thread.sleep(1)
        val start = CyclicBarrier(2)
        val isOver = AtomicBoolean()
        val logins = thread {
            start.await()
            var number = 0
            while (!isOver.get()) client.identify("u${number++}")
        }
        start.await()
        repeat(EVENTS) { client.track("e") }
        isOver.set(true)
        logins.join()
        assertTrue("${users.size} ids", users.size > 10)
        assertEquals(emptyMap<String, Set<String>>(), users.filterValues { it.size > 1 })
    }

    @Test
    fun `the ids of a person are read at one moment`() {
        val identity = Identity(null, SystemRandomness, FakeTime(0).worker { true })
        val start = CyclicBarrier(2)
        val isOver = AtomicBoolean()
        val logins = thread {
            start.await()
            var number = 0
            while (!isOver.get()) identity.become("u${number++}")
        }
        start.await()
        val users = HashMap<String, MutableSet<String>>()
        val end = System.nanoTime() + 2_000_000_000
        while (System.nanoTime() < end) {
            val person = identity.person()
            person.userId?.let { users.getOrPut(person.anonymousId) { HashSet() } += it }
        }
        isOver.set(true)
        logins.join()
        assertEquals(emptyMap<String, Set<String>>(), users.filterValues { it.size > 1 })
    }

    @Test
    fun `two processes that start on an empty folder at once have the ids of one device`() {
        repeat(20) { round ->
            val folder = File(temporary.root, "round-$round")
            val start = CyclicBarrier(2)
            // Both have read the empty store before either writes.
            val racing = { values: ValueStore ->
                object : ValueStore by values {
                    private var isFirst = true

                    override fun read(): Map<String, String> = values.read().also { if (isFirst) start.await() }.also { isFirst = false }
                }
            }
            val identities = List(2) { identityOf(racing(FileValueStore(folder, "s"))) }
            identities.map { thread { it.persist() } }.forEach { it.join() }
            assertEquals(1, identities.map { it.device() }.toSet().size)
            assertEquals(1, identities.map { it.anonymousId() }.toSet().size)
            assertEquals(identities[0].device(), FileValueStore(folder, "s").read()[ValueNames.DEVICE])
        }
    }

    @Test
    fun `ids that were made while nothing was read are those of the store, if it has any`() {
        val early = identityOf(values())
        val device = early.device()
        early.persist()
        assertEquals(device, early.device())
        val next = identityOf(values())
        next.device()
        next.persist()
        assertEquals(device, next.device())
    }
}
