"""Judges a PDF by pyHanko (EN 319 102-1 with long-term data), without network: `FILE ROOT`."""

import asyncio
import sys

from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation.ades import ades_lta_validation
from pyhanko.sign.validation.policy_decl import (
    CertificateFetchingRule,
    LocalKnowledge,
    PdfSignatureValidationSpec,
    RevinfoOnlineFetchingRule,
    RevocationInfoGatheringSpec,
    SignatureValidationSpec,
)
from pyhanko_certvalidator.context import CertValidationPolicySpec
from pyhanko_certvalidator.policy_decl import REQUIRE_REVINFO, CertRevTrustPolicy
from pyhanko_certvalidator.registry import SimpleTrustManager


async def judge(path: str, root_path: str) -> bool:
    root = load_cert_from_pemder(root_path)
    certificates = CertValidationPolicySpec(
        trust_manager=SimpleTrustManager.build(trust_roots=[root]),
        revinfo_policy=CertRevTrustPolicy(revocation_checking_policy=REQUIRE_REVINFO),
    )
    offline = RevocationInfoGatheringSpec(
        online_fetching_rule=RevinfoOnlineFetchingRule.LOCAL_ONLY,
        certificate_fetching_rule=CertificateFetchingRule.NEVER_FETCH,
    )
    # A root that is trusted is not looked for among those that sign CRLs, unless it is known, too.
    known = LocalKnowledge(known_certs=[root])
    spec = PdfSignatureValidationSpec(
        SignatureValidationSpec(
            certificates, revinfo_gathering_policy=offline, local_knowledge=known
        )
    )
    with open(path, "rb") as file:
        reader = PdfFileReader(file)
        (seal,) = reader.embedded_regular_signatures
        result = await ades_lta_validation(seal, spec)
        stamps = len(reader.embedded_timestamp_signatures)
    status = result.api_status
    # Whether a seal holds does not say what was put behind it, which shows in its place.
    changes = status.modification_level.name
    print(f"{result.ades_subindic}, document time stamps: {stamps}, changes: {changes}")
    # One for each time that the file was archived.
    return str(result.ades_subindic) == "AdESPassed.OK" and stamps >= 1 and status.docmdp_ok


sys.exit(0 if asyncio.run(judge(sys.argv[1], sys.argv[2])) else 1)
