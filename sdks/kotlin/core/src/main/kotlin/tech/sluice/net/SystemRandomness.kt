package tech.sluice.net

import java.util.Random
import java.util.UUID
import tech.sluice.InternalSluiceApi
import tech.sluice.core.IdPurpose
import tech.sluice.core.Randomness

/** Random UUIDs of the platform's secure generator. */
@InternalSluiceApi
public object SystemRandomness : Randomness {
    private val random = Random()

    override fun fraction(): Double = random.nextDouble()

    override fun uuid(purpose: IdPurpose): String = UUID.randomUUID().toString()
}
