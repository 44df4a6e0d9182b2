import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.jaxb.object.Message;
import eu.europa.esig.dss.simplereport.SimpleReport;
import eu.europa.esig.dss.spi.DSSUtils;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import eu.europa.esig.dss.validation.SignedDocumentValidator;
import java.io.File;
import java.io.FileInputStream;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/**
 * Judges a PDF by one of two validators: `dss FILE ROOT` by EU DSS, offline and with one root
 * trusted, as PAdES-BASELINE-LTA; `verapdf FILE` as PDF/A-3U and as PDF/UA-1. Prints a line for each;
 * 0 accepted, 1 not.
 */
public class Judge {
  public static void main(String[] words) throws Exception {
    boolean isAccepted = words[0].equals("dss") ? dss(words[1], words[2]) : verapdf(words[1]);
    System.exit(isAccepted ? 0 : 1);
  }

  private static boolean dss(String file, String root) {
    CommonTrustedCertificateSource trusted = new CommonTrustedCertificateSource();
    trusted.addCertificate(DSSUtils.loadCertificate(new File(root)));
    CommonCertificateVerifier verifier = new CommonCertificateVerifier();
    verifier.setTrustedCertSources(trusted);
    verifier.setAIASource(null);
    SignedDocumentValidator validator = SignedDocumentValidator.fromDocument(new FileDocument(file));
    validator.setCertificateVerifier(verifier);
    SimpleReport report = validator.validateDocument().getSimpleReport();
    List<String> signatures = report.getSignatureIdList();
    boolean isAccepted = signatures.size() == 1;
    for (String id : signatures) {
      String said = report.getSignatureFormat(id) + " " + report.getIndication(id);
      System.out.println(said + " " + report.getAdESValidationErrors(id).size() + " errors");
      // What was put behind a seal is but warned of: DocMDP, pages that look otherwise.
      List<Message> warnings = report.getAdESValidationWarnings(id);
      for (Message each : warnings) System.out.println(each.getValue());
      isAccepted &= warnings.isEmpty();
      isAccepted &= said.equals("PAdES-BASELINE-LTA TOTAL_PASSED");
    }
    return isAccepted;
  }

  private static boolean verapdf(String file) throws Exception {
    VeraGreenfieldFoundryProvider.initialise();
    boolean isArchivable = conforms(file, "PDF/A-3U", PDFAFlavour.PDFA_3_U);
    boolean isAccessible = conforms(file, "PDF/UA-1", PDFAFlavour.PDFUA_1);
    return isArchivable && isAccessible;
  }

  private static boolean conforms(String file, String name, PDFAFlavour flavour) throws Exception {
    try (PDFAParser parser =
        Foundries.defaultInstance().createParser(new FileInputStream(file), flavour)) {
      ValidationResult result =
          Foundries.defaultInstance().createValidator(flavour, false).validate(parser);
      Set<String> failed = new TreeSet<>();
      for (TestAssertion each : result.getTestAssertions()) {
        if (each.getStatus() == TestAssertion.Status.FAILED) failed.add(each.getRuleId().toString());
      }
      System.out.println(name + " " + (result.isCompliant() ? "compliant" : failed.toString()));
      return result.isCompliant();
    }
  }
}
